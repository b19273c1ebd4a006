"""What the API promises: parameters, bodies and answers of every route, held and told from one place."""
