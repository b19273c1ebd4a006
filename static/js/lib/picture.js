// A drawing as PNG: the SVG of the same address, put on a canvas by the browser with its own fonts.
// The link says where the SVG is (href) and how the file is called (data-picture).

const SCALE = 2; // pixels of the file for each pixel of the drawing

/** The size of a canvas for a drawing; browsers draw none that is larger than a side of `most`. */
export function sizeOf(width, height, scale = SCALE, most = 8192) {
  const fits = Math.min(scale, most / width, most / height);
  return { width: Math.round(width * fits), height: Math.round(height * fits) };
}

async function drawn(url) {
  const image = new Image();
  image.src = url;
  await image.decode();
  const { width, height } = sizeOf(image.naturalWidth, image.naturalHeight);
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  canvas.getContext("2d").drawImage(image, 0, 0, width, height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

async function save(link) {
  const blob = await drawn(link.href);
  const url = URL.createObjectURL(blob);
  const file = document.createElement("a");
  file.href = url;
  file.download = link.dataset.picture;
  file.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

if (typeof document !== "undefined") {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-picture]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    save(link).catch(() => location.assign(link.href)); // the SVG is better than nothing
  });
}
