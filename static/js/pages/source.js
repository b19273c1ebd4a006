// The text of a source: a passage that is marked leads to the editor with its citation filled in.

import { address, places } from "../lib/passages.js";

const text = document.getElementById("passages");
const bar = document.createElement("p");
const link = document.createElement("a");
const words = document.createElement("span");
const propose = document.createElement("button");
const drafting = document.getElementById("draft-passage");

function paragraph(node) {
  const element = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
  return element?.closest("p[data-start]") || null;
}

/** What a paragraph says up to a point in it. */
function upto(element, node, offset) {
  const range = document.createRange();
  range.selectNodeContents(element);
  range.setEnd(node, offset);
  return range.toString();
}

function marked() {
  const chosen = document.getSelection();
  if (!chosen || chosen.isCollapsed || !chosen.rangeCount) return null;
  const range = chosen.getRangeAt(0);
  const first = paragraph(range.startContainer);
  const last = paragraph(range.endContainer);
  if (!first || !last || !text.contains(first) || !text.contains(last)) return null;
  return places(
    Number(first.dataset.start),
    upto(first, range.startContainer, range.startOffset),
    Number(last.dataset.start),
    upto(last, range.endContainer, range.endOffset),
    first === last ? range.toString() : "…",
  );
}

function show() {
  const found = marked();
  bar.hidden = !found;
  if (!found) return;
  const to = address(text.dataset.make, found);
  link.hidden = !to;
  propose.hidden = !to || !drafting;
  words.hidden = Boolean(to);
  if (to) link.href = to;
  if (to && drafting) [drafting.elements.start.value, drafting.elements.end.value] = [found.start, found.end];
}

if (text?.dataset.make) {
  bar.className = "marked-bar";
  bar.hidden = true;
  link.className = "btn go";
  link.textContent = text.dataset.label;
  words.textContent = text.dataset.long;
  propose.className = "btn";
  propose.type = "button";
  propose.textContent = drafting?.dataset.label || "";
  propose.addEventListener("click", () => drafting.submit());
  bar.append(link, propose, words);
  text.append(bar);
  document.addEventListener("selectionchange", show);
  // Paragraphs that are named by their numbers count instead of a passage that was marked before.
  drafting?.addEventListener("submit", () => {
    drafting.elements.start.value = drafting.elements.end.value = "";
  });
}
