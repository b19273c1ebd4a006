// A button that copies what stands in a field, and says so in its own words.

import { copy } from "../lib/dialogs.js";

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    if (await copy(document.getElementById(button.dataset.copy))) button.textContent = button.dataset.done;
  });
}
