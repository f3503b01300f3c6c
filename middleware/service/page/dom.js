// Elements without HTML in strings: whatever is text stays text.

export function element(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function drawing(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

export const byId = (id) => document.getElementById(id);

export const percent = (share) => (share > 0 && share < 0.01 ? "< 1 %" : `${Math.round(share * 100)} %`);

// What somebody else wrote, in a line of ours: its direction stays its own.
export const named = (text) => element("bdi", {}, text);
export const quoted = (text, attributes = {}) => element("q", { dir: "auto", ...attributes }, text);

// A bar from 0 to 1 with a mark at the threshold. Widths are set through the CSSOM, which the policy allows.
export function meter(name, value, threshold = null, kind = "plain") {
  const told = threshold === null ? percent(value) : `${percent(value)}, shown from ${percent(threshold)} on`;
  const bar = element("div", {
    class: `meter ${kind}`,
    role: "meter",
    "aria-label": name,
    "aria-valuemin": 0,
    "aria-valuemax": 100,
    "aria-valuenow": Math.round(value * 100),
    "aria-valuetext": told,
  });
  const filled = element("div", { class: "fill", hidden: value === 0 });
  filled.style.width = `${value * 100}%`;
  bar.append(filled);
  if (threshold !== null) {
    const mark = element("div", { class: "mark" });
    mark.style.left = `${threshold * 100}%`;
    bar.append(mark);
  }
  return bar;
}

// Hand a text to the person as a file.
export function download(name, type, text) {
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
