"use strict";
// From a declared chart (a kind and its numbers) to what the drawing library wants.

// The page's colours, read from the style sheet so that both themes have one source.
function readLook() {
  const style = getComputedStyle(document.documentElement);
  const get = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    text: get("text"), muted: get("muted"), line: get("line"), surface: get("surface"), font: get("font"),
    original: get("original"), result: get("result"), good: get("good"), bad: get("bad"), mark: get("mark"),
    plain: [1, 2, 3, 4, 5, 6].map((n) => get(`series-${n}`)),
  };
}

// A plain series never takes the colour that stands for the result beside it.
function seriesColor(chart, index, look) {
  const series = chart.series[index];
  const plain = chart.series.some((s) => s.role === "result") ? look.plain.slice(1) : look.plain;
  const byRole = { original: look.original, result: look.result, "accept-boundary": look.good, "reject-boundary": look.bad };
  return byRole[series.role] || plain[index % plain.length];
}

// Bars with long or many names lie down, and so do intervals always.
function liesDown(chart, width) {
  if (chart.kind === "interval") return true;
  if (chart.kind !== "bar") return false;
  const longest = Math.max(0, ...chart.categories.map((c) => say(c).length * (language === "zh" ? 13 : 7)));
  return chart.categories.length <= 24 && longest * chart.categories.length > width - 80;
}

function chartHeight(chart, width) {
  if (!liesDown(chart, width)) return width < 480 ? 250 : 300;
  return chart.categories.length * (chart.series.length * 20 + 12) + 70;
}

function chartScales(chart) {
  const measured = chart.series.flatMap((s) => [...s.y, ...(s.low || []), ...(s.high || [])]);
  return {
    x: scaleOf(chart.x.format, chart.series.flatMap((s) => s.x || [])),
    y: scaleOf(chart.y.format, [...measured, ...(chart.marks || []).map((m) => m.value)]),
  };
}

// A line between two bounds with a cap at each end. Data: [place, low, high, …]; across: lying along x.
function whisker(api, from, to, cap, color, across) {
  const [a, b] = [from, to];
  const shape = across
    ? [[a[0], a[1] - cap, a[0], a[1] + cap], [a[0], a[1], b[0], b[1]], [b[0], b[1] - cap, b[0], b[1] + cap]]
    : [[a[0] - cap, a[1], a[0] + cap, a[1]], [a[0], a[1], b[0], b[1]], [b[0] - cap, b[1], b[0] + cap, b[1]]];
  return shape.map(([x1, y1, x2, y2]) => ({ type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: color, lineWidth: 1.5 } }));
}

// Whether a point lacks a number that drawing it needs.
const lacks = (api, ...places) => places.some((place) => Number.isNaN(api.value(place)));

function chartOption(chart, look, width) {
  const { x: xs, y: ys } = chartScales(chart);
  const down = liesDown(chart, width);
  const byCategory = chart.kind === "bar" || chart.kind === "interval";
  const names = byCategory ? chart.categories.map(say) : [];
  const drawn = []; // the library's series
  const meant = []; // which of ours each of them shows, for the tooltip
  const add = (series, index) => {
    drawn.push(series);
    meant.push(index);
  };
  const x = (v) => (v === null ? null : v * xs.factor);
  const y = (v) => (v === null ? null : v * ys.factor);

  chart.series.forEach((series, index) => {
    const color = seriesColor(chart, index, look);
    const name = say(series.name);
    const bounded = Boolean(series.low);
    const common = { name, color, itemStyle: { color }, emphasis: { disabled: true } };

    if (chart.kind === "interval") {
      const count = chart.series.length;
      add({
        ...common, type: "custom", encode: { x: [0, 1, 2], y: 3 },
        data: series.y.map((v, i) => [y(v), y(bounded ? series.low[i] : v), y(bounded ? series.high[i] : v), i]),
        renderItem: (params, api) => {
          if (lacks(api, 0)) return null;
          const shift = (index - (count - 1) / 2) * Math.min(18, api.size([0, 1])[1] / (count + 0.5));
          const at = (v) => { const p = api.coord([v, api.value(3)]); return [p[0], p[1] + shift]; };
          const [cx, cy] = at(api.value(0));
          return {
            type: "group",
            children: [
              ...(bounded && !lacks(api, 1, 2) ? whisker(api, at(api.value(1)), at(api.value(2)), 5, color, true) : []),
              { type: "circle", shape: { cx, cy, r: 4.5 }, style: { fill: color, stroke: look.surface, lineWidth: 1.5 } },
            ],
          };
        },
      }, index);
      return;
    }

    if (chart.kind === "bar") {
      const few = names.length * chart.series.length <= 12 && !bounded;
      const bars = { barGap: "8%", barCategoryGap: names.length > 16 ? "20%" : "34%", barMaxWidth: 44 };
      add({
        ...common, ...bars, type: "bar", data: series.y.map(y), itemStyle: { color, borderRadius: down ? [0, 2, 2, 0] : [2, 2, 0, 0] },
        label: { show: few, position: down ? "right" : "top", color: look.muted, fontSize: 11, formatter: (p) => ys.write(series.y[p.dataIndex]) },
      }, index);
      if (bounded) {
        add({
          type: "custom", silent: true, z: 5, data: series.y.map((v, i) => [i, y(series.low[i]), y(series.high[i])]),
          encode: down ? { y: 0, x: [1, 2] } : { x: 0, y: [1, 2] },
          renderItem: (params, api) => {
            if (lacks(api, 0, 1, 2)) return null;
            const place = api.barLayout({ count: chart.series.length, ...bars })[index].offsetCenter;
            const at = (v) => {
              const p = api.coord(down ? [v, api.value(0)] : [api.value(0), v]);
              return down ? [p[0], p[1] + place] : [p[0] + place, p[1]];
            };
            return { type: "group", children: whisker(api, at(api.value(1)), at(api.value(2)), 4, look.text, down) };
          },
        }, null);
      }
      return;
    }

    const points = series.y.map((v, i) => [x(series.x[i]), y(v)]);
    const boundary = series.role === "accept-boundary" || series.role === "reject-boundary";
    if (bounded && chart.kind === "scatter") {
      add({
        type: "custom", silent: true, data: points.map((p, i) => [p[0], y(series.low[i]), y(series.high[i])]), encode: { x: 0, y: [1, 2] },
        renderItem: (params, api) => {
          if (lacks(api, 0, 1, 2)) return null;
          const at = (v) => api.coord([api.value(0), v]);
          return { type: "group", children: whisker(api, at(api.value(1)), at(api.value(2)), 4, color, false) };
        },
      }, null);
    } else if (bounded) {
      const band = points.map((p, i) => [p[0], y(series.low[i]), y(series.high[i])]);
      const runs = band.reduce((all, p) => {
        if (p.includes(null)) all.push([]);
        else all.at(-1).push(p);
        return all;
      }, [[]]);
      add({
        type: "custom", silent: true, z: 1, clip: true, data: band, encode: { x: 0, y: [1, 2] },
        renderItem: (params, api) => params.dataIndex > 0 ? null : {
          type: "group",
          // A lone point has no width to fill: its bounds are a bar.
          children: runs.map((run) => run.length === 1 ? {
            type: "group", children: whisker(api, api.coord([run[0][0], run[0][1]]), api.coord([run[0][0], run[0][2]]), 5, color, false),
          } : ({
            type: "polygon",
            shape: { points: [...run.map((p) => api.coord([p[0], p[2]])), ...run.toReversed().map((p) => api.coord([p[0], p[1]]))] },
            style: { fill: color, opacity: 0.16 },
          })),
        },
      }, null);
    }
    if (chart.kind === "scatter") {
      add({ ...common, type: "scatter", data: points, symbolSize: 8, z: 4 }, index);
      return;
    }
    let area;
    if (boundary && chart.kind === "sequential") {
      area = { color, opacity: 0.1, origin: boundaryIsBelow(chart, series) ? "start" : "end" };
    }
    const last = chart.kind === "sequential" && !boundary ? points.length - 1 : -1;
    add({
      ...common, type: "line", z: 3, areaStyle: area, connectNulls: false, symbol: "circle",
      lineStyle: { color, width: boundary ? 1.5 : 2, type: boundary ? "dashed" : "solid" },
      showSymbol: !boundary && (points.length <= 40 || last >= 0),
      data: points.map((p, i) => ({ value: p, symbolSize: i === last ? 10 : points.length > 40 ? 0 : 5 })),
    }, index);
  });

  const marks = (chart.marks || []).filter((m) => m.value !== null);
  if (marks.length > 0 && drawn.length > 0) {
    const first = drawn[meant.indexOf(0)];
    first.markLine = {
      silent: true, symbol: "none", animation: false,
      lineStyle: { color: look.mark, type: "dashed", width: 1.5 },
      data: marks.map((m) => ({
        name: say(m.name), [down ? "xAxis" : "yAxis"]: y(m.value),
        label: { formatter: say(m.name), color: look.mark, fontSize: 11, position: down ? "start" : "insideEndTop" },
      })),
    };
    // A series that draws nothing, so that the axis reaches as far as the marks.
    const place = byCategory ? 0 : x(chart.series[0]?.x?.[0] ?? 0);
    add({
      type: "custom", silent: true, renderItem: () => null, data: marks.map((m) => (down ? [y(m.value), place] : [place, y(m.value)])),
    }, null);
  }

  const measuredAxis = {
    type: chart.y.logarithmic ? "log" : "value", scale: chart.kind !== "bar",
    axisLabel: { color: look.muted, fontSize: 11, formatter: writeTick, hideOverlap: true },
    axisLine: { show: false }, axisTick: { show: false }, splitLine: { lineStyle: { color: look.line } }, splitNumber: width < 480 ? 4 : 5,
  };
  const categoryAxis = {
    type: "category", data: names, inverse: down,
    axisLabel: { color: look.muted, fontSize: 11, interval: down ? 0 : "auto", hideOverlap: !down, width: down ? Math.round(width * 0.36) : undefined, overflow: down ? "break" : "none" },
    axisLine: { lineStyle: { color: look.muted } }, axisTick: { show: false },
  };
  const placeAxis = {
    type: chart.x.logarithmic ? "log" : "value", scale: true, boundaryGap: chart.kind === "scatter" ? ["6%", "6%"] : undefined,
    axisLabel: { color: look.muted, fontSize: 11, formatter: writeTick, hideOverlap: true },
    axisLine: { lineStyle: { color: look.muted } }, axisTick: { show: false }, splitLine: { show: false }, splitNumber: width < 480 ? 4 : 6,
  };
  return {
    animation: false,
    textStyle: { fontFamily: look.font, color: look.text },
    grid: { left: 4, right: down ? 24 : 16, top: marks.length > 0 ? 24 : chart.kind === "bar" ? 20 : 12, bottom: 4, containLabel: true },
    tooltip: {
      trigger: chart.kind === "scatter" || chart.kind === "interval" ? "item" : "axis", confine: true, transitionDuration: 0,
      backgroundColor: look.surface, borderColor: look.line, textStyle: { color: look.text, fontSize: 12 },
      axisPointer: { type: chart.kind === "bar" ? "shadow" : "line", lineStyle: { color: look.muted }, shadowStyle: { color: look.muted, opacity: 0.08 } },
      formatter: (params) => tooltip(chart, [params].flat().filter((p) => meant[p.seriesIndex] !== null), meant, names, xs, ys),
    },
    xAxis: down ? measuredAxis : byCategory ? categoryAxis : placeAxis,
    yAxis: down ? categoryAxis : measuredAxis,
    series: drawn,
  };
}

// Of two boundaries, the one that lies lower shades what is under it; one alone counts as lower when it accepts.
function boundaryIsBelow(chart, series) {
  const other = chart.series.find((s) => s !== series && s.role.endsWith("-boundary") && s.role !== series.role);
  const mean = (s) => { const n = numbersOf(s.y); return n.reduce((a, b) => a + b, 0) / Math.max(1, n.length); };
  return other ? mean(series) < mean(other) : series.role === "accept-boundary";
}

function tooltip(chart, points, meant, names, xs, ys) {
  if (points.length === 0) return "";
  const i = points[0].dataIndex;
  const head = names.length > 0 ? names[i] : `${say(chart.x.title)}: ${withUnit(xs.write(chart.series[meant[points[0].seriesIndex]].x[i]), xs.unit)}`;
  return el("div", { class: "tip" }, el("div", { class: "tip-head" }, head),
    points.map((p) => {
      const s = chart.series[meant[p.seriesIndex]];
      const at = p.dataIndex;
      const value = s.low ? { value: s.y[at], low: s.low[at], high: s.high[at] } : s.y[at];
      return el("div", { class: "tip-row" }, el("span", { class: "dot", style: `background:${p.color}` }),
        el("span", { class: "tip-name" }, say(s.name)), el("span", { class: "number" }, valueNodes(value, ys, chart.y.format, false)));
    }));
}

// The same numbers as a table of the document, for readers who don't see the drawing, and for copying.
function chartTable(chart) {
  const byCategory = chart.kind === "bar" || chart.kind === "interval";
  const cell = (s, i) => (i < 0 ? null : s.low ? { value: s.y[i], low: s.low[i], high: s.high[i] } : s.y[i]);
  const columns = [{ title: chart.x.title, format: chart.x.format }, ...chart.series.map((s) => ({ title: s.name, format: chart.y.format }))];
  if (byCategory) {
    return { columns, rows: chart.categories.map((c, i) => [c, ...chart.series.map((s) => cell(s, i))]) };
  }
  const places = [...new Set(chart.series.flatMap((s) => s.x))].filter((v) => v !== null).sort((a, b) => a - b);
  const where = chart.series.map((s) => new Map(s.x.map((v, i) => [v, i])));
  return { columns, rows: places.map((v) => [v, ...chart.series.map((s, k) => cell(s, where[k].has(v) ? where[k].get(v) : -1))]) };
}
