"""Print the projects you belong to, with your roles there.

python list_projects.py
"""

from client import call

me = call("/api/v1/me/")
print(f"{me['name']} ({me['username']})")
for project in me["projects"]:
    print(f"  {project['slug']:20} {project['name']}: {', '.join(project['roles'])}")
