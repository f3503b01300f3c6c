// Elements without HTML in strings: whatever is text stays text.

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

export const byId = (id) => document.getElementById(id);

export const percent = (share) => (share > 0 && share < 0.01 ? "< 1 %" : `${Math.round(share * 100)} %`);

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
  const fill = element("div", { class: "fill" });
  fill.style.width = `${value * 100}%`;
  bar.append(fill);
  if (threshold !== null) {
    const mark = element("div", { class: "mark" });
    mark.style.left = `${threshold * 100}%`;
    bar.append(mark);
  }
  return bar;
}
