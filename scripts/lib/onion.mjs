// Draws a pipeline as `agent.explain()` tells it: one onion a hook, the outermost layer outside.

const hooks = [
  ["wrapModelCall", "a request to the model", "the model"],
  ["wrapToolCall", "a call of a tool", "the tool"],
];
const width = 360;
const step = 30;

function onion(names, title, core, left) {
  const height = 74 + names.length * step * 2;
  const layers = names.map((name, index) => {
    const inset = index * 14;
    const top = 44 + index * step;
    const size = { width: width - inset * 2, height: height - 44 - index * step * 2 };
    return [
      `<rect x="${left + inset}" y="${top}" width="${size.width}" height="${size.height}" rx="14" class="layer"/>`,
      `<text x="${left + inset + 12}" y="${top + 20}" class="name">${name}</text>`,
    ].join("\n");
  });
  const middle = 44 + names.length * step + 15;
  return {
    height,
    text: [
      `<text x="${left + width / 2}" y="26" class="title">${title}</text>`,
      ...layers,
      `<text x="${left + width / 2}" y="${middle + 5}" class="core">${core}</text>`,
    ].join("\n"),
  };
}

/** @param explanation - what `agent.explain()` gave. */
export function onionSvg({ hooks: names }) {
  const onions = hooks.map(([hook, title, core], index) => onion(names[hook], title, core, 20 + index * (width + 30)));
  const height = Math.max(...onions.map((each) => each.height)) + 20;
  const total = 40 + width * 2 + 30;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${total} ${height}" width="${total}" height="${height}" role="img" aria-label="The layers around a model call and around a tool call">
<style>
text { font: 14px system-ui, sans-serif; fill: #1c2733; }
.title { font-weight: 600; text-anchor: middle; }
.core { font-weight: 600; text-anchor: middle; fill: #0b5c3b; }
.layer { fill: #2f6fab; fill-opacity: 0.07; stroke: #2f6fab; stroke-width: 1.2; }
rect.page { fill: #ffffff; }
</style>
<rect class="page" width="100%" height="100%"/>
${onions.map((each) => each.text).join("\n")}
</svg>
`;
}
