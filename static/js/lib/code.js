// Pieces of code in an answer: a frame that scrolls, colours, a button that copies. Loaded where there is code.
// Colours are the browser's highlights: nothing in the text changes, so offsets of evidence hold.

const KEYWORDS = `and as async await begin break case catch class const continue def default delete do elif else end
  enum except export extends false finally fn for foreach from func function global if impl import in include interface
  is join lambda let match mut namespace new nil none not null on or order group by having limit package pass private
  protected public raise require return select self static struct super switch then this throw trait true try type
  typedef union until update use using var void where while with yield insert into values create table`;
const WORDS = new Set(KEYWORDS.split(/\s+/));
const PARTS = /(?<note>(?<![:\w])(?:\/\/|#(?!\w*;)).*|--\s.*|\/\*[\s\S]*?\*\/|<!--[\s\S]*?-->)|(?<text>"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|(?<number>\b\d[\w.]*\b)|(?<word>\b[A-Za-z_]\w*\b)/g;

/** The coloured parts of a piece of code: [{kind, start, end}]. */
export function parts(code) {
  return [...code.matchAll(PARTS)].flatMap((found) => {
    const kind = Object.keys(found.groups).find((name) => found.groups[name] !== undefined);
    if (kind === "word" && !WORDS.has(found[0].toLowerCase())) return [];
    return [{ kind, start: found.index, end: found.index + found[0].length }];
  });
}

/** Give every piece of code of a page its frame, and colour them all. */
export function dress(document) {
  const button = document.getElementById("copy-code")?.content.firstElementChild;
  const kinds = { note: [], text: [], number: [], word: [] };
  for (const block of document.querySelectorAll(".prose pre")) {
    if (!block.parentElement.matches(".code")) frame(block, button);
    const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    if (!walker.nextNode() || walker.currentNode.length !== block.textContent.length) continue;
    for (const { kind, start, end } of parts(walker.currentNode.data)) {
      const range = new Range();
      range.setStart(walker.currentNode, start);
      range.setEnd(walker.currentNode, end);
      kinds[kind].push(range);
    }
  }
  if (!globalThis.CSS?.highlights) return;
  for (const [kind, ranges] of Object.entries(kinds)) CSS.highlights.set(`code-${kind}`, new Highlight(...ranges));
}

function frame(block, button) {
  const box = block.ownerDocument.createElement("div");
  box.className = "code";
  block.replaceWith(box);
  box.append(block);
  block.tabIndex = 0;
  if (button && navigator.clipboard) box.prepend(button.cloneNode(true));
}
