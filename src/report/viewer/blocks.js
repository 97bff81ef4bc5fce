"use strict";
// One function a block type: from the document's block to elements.
const SVG = "http://www.w3.org/2000/svg";
const ICONS = {
  accepted: "M7.5 12.4l3 3 6-6.4",
  repaired: "M17.2 9.5a5.7 5.7 0 1 0 .6 4M18 6v3.8h-3.8",
  "rolled-back": "M10 7.5L6.5 11l3.5 3.5M6.5 11h7.2a3 3 0 0 1 0 6h-2.2",
  undecided: "M9.4 9.6a2.7 2.7 0 1 1 3.9 2.4c-.9.5-1.3 1-1.3 2M12 16.9v.2",
  done: "M8 12h8",
  info: "M12 11v5.5M12 7.6v.2",
  warning: "M12 7v6.2M12 16.6v.2",
  error: "M8.5 8.5l7 7M15.5 8.5l-7 7",
};

function svg(tag, attributes, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

function icon(kind, size) {
  return svg("svg", { viewBox: "0 0 24 24", width: size, height: size, class: "icon", "aria-hidden": "true" },
    svg("circle", { cx: 12, cy: 12, r: 10.5 }), svg("path", { d: ICONS[kind] || ICONS.info }));
}

const heading = (block) => (block.title ? el("h3", {}, say(block.title)) : null);
const noteOf = (block) => (block.note ? el("p", { class: "note" }, say(block.note)) : null);

function factsBlock(block) {
  const list = el("dl", { class: block.headline ? "headline" : "facts" },
    block.facts.map((fact) => {
      const scale = scaleOf(fact.format, [fact.value]);
      const judged = fact.good === undefined ? "" : fact.good ? " good" : " bad";
      const sign = judged && el("span", { class: "sign", role: "img", "aria-label": word(fact.good ? "met" : "missed") }, fact.good ? "✓" : "✗");
      return el("div", { class: "fact" }, el("dt", {}, say(fact.name)),
        el("dd", {}, el("span", { class: `number${judged}` }, sign || null, valueNodes(fact.value, scale, fact.format, false)),
          fact.note ? el("span", { class: "note" }, say(fact.note)) : null));
    }));
  return el("div", { class: "block" }, heading(block), list);
}

// A small picture of each interval in a column, all on one scale.
function whiskerColumn(values) {
  const numbers = numbersOf(values);
  const from = Math.min(...numbers);
  const width = Math.max(...numbers) - from || 1;
  const at = (v) => 3 + ((v - from) / width) * 66;
  return (value) => {
    if (!isInterval(value) || numbersOf([value]).length < 3) return null;
    return svg("svg", { viewBox: "0 0 72 12", width: 72, height: 12, class: "whisker", "aria-hidden": "true" },
      svg("path", { d: `M${at(value.low)} 2.5v7M${at(value.low)} 6H${at(value.high)}M${at(value.high)} 2.5v7` }),
      svg("circle", { cx: at(value.value), cy: 6, r: 2.6 }));
  };
}

function tableOf(block, label) {
  const columns = block.columns.map((column, i) => {
    const values = block.rows.map((row) => row[i]);
    const numeric = numbersOf(values).length > 0;
    const draw = i > 0 && values.filter(isInterval).length > 1 ? whiskerColumn(values) : null;
    return { ...column, numeric, draw, scale: scaleOf(column.format, values) };
  });
  const head = el("tr", {}, columns.map((c) => el("th", { scope: "col", class: c.numeric ? "number" : null, colspan: c.draw ? "2" : null }, titleWithUnit(c.title, c.numeric ? c.scale.unit : ""))));
  const body = block.rows.map((row, r) => el("tr", { class: block.highlighted?.includes(r) ? "highlighted" : null },
    row.flatMap((value, i) => {
      const c = columns[i];
      const first = i === 0;
      const cell = el(first ? "th" : "td", { scope: first ? "row" : null, class: c.numeric ? "number" : null }, valueNodes(value, c.scale, c.format, true));
      return c.draw ? [el("td", { class: "drawn" }, c.draw(value)), cell] : [cell];
    })));
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
    el("table", {}, el("thead", {}, head), el("tbody", {}, body)));
}

function tableBlock(block) {
  return el("div", { class: "block" }, heading(block), tableOf(block, say(block.title) || word("numbers")), noteOf(block));
}

function chartBlock(block, page) {
  if (numbersOf(block.series.flatMap((s) => s.y)).length === 0) {
    return el("div", { class: "block" }, el("h3", {}, say(block.title)), el("p", { class: "note" }, word("empty")), noteOf(block));
  }
  const canvas = el("div", { class: "chart", role: "img", "aria-label": `${say(block.title)}. ${say(block.y.title)}; ${say(block.x.title)}. ${word("numbers")} ↓` });
  const above = el("div", { class: "axis" });
  const below = el("div", { class: "axis below" });
  const legend = block.series.length < 2 ? null
    : el("ul", { class: "legend" }, block.series.map((s) => el("li", {}, el("span", { class: `swatch${s.role.endsWith("-boundary") ? " dashed" : ""}` }), say(s.name))));
  page.charts.push({ chart: block, canvas, above, below, swatches: legend ? [...legend.querySelectorAll(".swatch")] : [] });
  return el("figure", { class: "block" }, el("figcaption", {}, el("h3", {}, say(block.title)), noteOf(block)),
    legend, above, canvas, below,
    el("details", { class: "numbers" }, el("summary", {}, word("numbers")), tableOf(chartTable(block), say(block.title))));
}

function textBlock(block) {
  return el("div", { class: "block prose" }, block.paragraphs.map((p) => el("p", {}, say(p))));
}

function noticeBlock(block) {
  return el("div", { class: `block notice ${block.level}`, role: "note" }, icon(block.level, 20),
    el("p", {}, el("strong", {}, word(block.level)), " ", say(block.text)));
}

function codeBlock(block) {
  const panes = block.sources.map((source, index) => {
    const notes = block.notes.filter((n) => n.source === index);
    const lines = source.text.replace(/\n$/, "").split("\n");
    const rows = lines.flatMap((line, i) => {
      const here = notes.filter((n) => n.line === i + 1);
      const worst = ["error", "warning", "info"].find((level) => here.some((n) => n.level === level));
      return [
        el("div", { class: `line${worst ? ` noted ${worst}` : ""}` }, el("span", { class: "line-number", "aria-hidden": "true" }, String(i + 1)), el("code", {}, line || " ")),
        ...here.map((n) => el("div", { class: `remark ${n.level}`, role: "note" }, icon(n.level, 16),
          el("span", {}, el("strong", {}, n.id || word(n.level)), " ", say(n.text)))),
      ];
    });
    return el("div", { class: "pane" }, el("div", { class: "pane-head" }, el("span", {}, say(source.title)), source.language ? el("span", { class: "tag" }, source.language) : null),
      el("div", { class: "lines", tabindex: "0", role: "region", "aria-label": say(source.title) }, el("div", { class: "lines-inner" }, rows)));
  });
  return el("div", { class: "block" }, heading(block), el("div", { class: `code panes-${panes.length}` }, panes));
}

// How many code units two texts have in common at their start, never ending inside a character or an English word.
function commonStart(a, b) {
  let n = 0;
  while (n < a.length && n < b.length && a[n] === b[n]) n += 1;
  if (n === b.length) return n;
  if (n > 0 && /[\ud800-\udbff]/.test(b[n - 1])) n -= 1;
  const word = /[A-Za-z0-9]+$/.exec(b.slice(0, n));
  return word && /[A-Za-z0-9]/.test(b[n]) ? word.index : n;
}

function samplesBlock(block) {
  const samples = block.samples.map((sample) => {
    const outputs = sample.outputs.map((output, i) => {
      const same = i > 0 && output === sample.outputs[0];
      const shared = i === 0 ? output.length : commonStart(sample.outputs[0], output);
      const rest = output.slice(shared);
      return el("div", { class: "output" }, el("div", { class: "output-name" }, say(block.names[i]), same ? el("span", { class: "tag" }, word("same")) : null),
        el("div", { class: "said", dir: "auto" }, output.slice(0, shared), rest ? el("mark", {}, rest) : null, output === "" ? el("span", { class: "note" }, word("silent")) : null));
    });
    return el("div", { class: "sample" }, el("div", { class: "prompt" }, el("span", { class: "prompt-name" }, word("prompt")), el("div", { class: "said", dir: "auto" }, sample.prompt)),
      el("div", { class: "outputs" }, outputs));
  });
  return el("div", { class: "block" }, heading(block), samples);
}

const BLOCKS = {
  facts: factsBlock, table: tableBlock, chart: chartBlock, text: textBlock, notice: noticeBlock, code: codeBlock, samples: samplesBlock,
};

function blockOf(block, page) {
  return BLOCKS[block.type] ? BLOCKS[block.type](block, page) : null;
}
