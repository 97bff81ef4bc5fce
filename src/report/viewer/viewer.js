"use strict";
// The page: reads the document out of itself, draws it, and draws it again when the language or the theme changes.
// The address may fix both, as in report.html#lang=zh&theme=dark.
(() => {
  const report = JSON.parse(document.getElementById("document").textContent);
  const page = { charts: [] };
  const asked = new URLSearchParams(location.hash.slice(1));
  const darkWanted = matchMedia("(prefers-color-scheme: dark)");

  // What a reader chose is kept where the browser lets a file keep anything.
  const kept = {
    get(key) { try { return localStorage.getItem(`torquetum-report-${key}`); } catch { return null; } },
    set(key, value) { try { localStorage.setItem(`torquetum-report-${key}`, value); } catch { /* not kept */ } },
  };

  let theme = asked.get("theme") || kept.get("theme");
  language = asked.get("lang") || kept.get("lang") || (/^zh/i.test(navigator.language) ? "zh" : "en");
  if (language !== "zh") language = "en";
  const isDark = () => (theme ? theme === "dark" : darkWanted.matches);

  function emblem() {
    // Three rings of a torquetum, seen from the side.
    return svg("svg", { viewBox: "0 0 24 24", width: 22, height: 22, class: "emblem", "aria-hidden": "true" },
      svg("circle", { cx: 12, cy: 12, r: 10 }), svg("ellipse", { cx: 12, cy: 12, rx: 10, ry: 3.6, transform: "rotate(-23.4 12 12)" }),
      svg("ellipse", { cx: 12, cy: 12, rx: 3.6, ry: 10, transform: "rotate(-23.4 12 12)" }), svg("circle", { cx: 12, cy: 12, r: 1.2 }));
  }

  function topBar() {
    const next = isDark() ? "light" : "dark";
    return el("div", { class: "top" }, el("div", { class: "brand" }, emblem(), el("span", {}, "Torquetum"), el("span", { class: "tool" }, report.tool)),
      el("div", { class: "switches" },
        el("button", { type: "button", id: "switch-language", lang: language === "zh" ? "en" : "zh", onclick: () => { language = language === "zh" ? "en" : "zh"; kept.set("lang", language); redraw("switch-language"); } }, word("language")),
        el("button", { type: "button", id: "switch-theme", onclick: () => { theme = next; kept.set("theme", theme); redraw("switch-theme"); } }, word(next))));
  }

  function verdict() {
    return el("div", { class: `verdict ${report.verdict}` }, icon(report.verdict, 40),
      el("div", {}, el("p", { class: "verdict-word" }, word(WORDS[report.verdict] ? report.verdict : "done")), el("p", { class: "verdict-sentence" }, say(report.sentence))));
  }

  function contents() {
    if (report.sections.length < 4) return null;
    return el("nav", { class: "contents", "aria-label": word("contents") }, report.sections.map((s, i) => el("a", { href: `#section-${i}` }, say(s.title))));
  }

  function commandLine() {
    const quoted = report.command.map((w) => (/^[\w@%+=:,./-]+$/.test(w) ? w : `'${w.replaceAll("'", "'\\''")}'`)).join(" ");
    const button = el("button", { type: "button", class: "copy", onclick: async () => {
      try {
        await navigator.clipboard.writeText(quoted);
        button.textContent = word("copied");
      } catch {
        getSelection().selectAllChildren(shown);
      }
    } }, word("copy"));
    const shown = el("code", {}, quoted);
    return el("div", { class: "block" }, el("h3", {}, word("command")), el("div", { class: "command" }, el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": word("command") }, shown), button));
  }

  const asText = (key, value, kind = "number") => ({ name: { en: word(key) }, value, format: { kind } });

  function fileTable(key) {
    const files = report[key];
    if (files.length === 0) return null;
    const marked = files.some((f) => f.fingerprint);
    const column = (name, kind) => ({ title: { en: word(name) }, format: { kind } });
    return tableBlock({
      title: { en: word(key) },
      columns: [column("name", "number"), column("path", "code"), column("bytes", "bytes"), ...(marked ? [column("fingerprint", "code")] : [])],
      rows: files.map((f) => [f.name, f.path, f.bytes, ...(marked ? [f.fingerprint ?? null] : [])]),
    });
  }

  function provenance() {
    const seconds = (new Date(report.finished) - new Date(report.started)) / 1000;
    const host = report.host;
    return el("section", { id: "provenance" }, el("h2", {}, word("provenance")), commandLine(),
      factsBlock({ facts: [
        asText("tool", `${report.tool} ${report.version}`), asText("started", writeTime(report.started)), asText("finished", writeTime(report.finished)),
        asText("took", seconds, "duration"), asText("attempt", report.attempt), asText("system", host.system), asText("processor", host.processor),
        asText("threads", host.threads), asText("memory", host.memory_bytes, "bytes"),
        ...(host.devices.length > 0 ? [asText("devices", host.devices.join(", "))] : []),
      ] }),
      fileTable("inputs"), fileTable("outputs"));
  }

  function saveLink() {
    return el("footer", {}, el("button", { type: "button", onclick: () => {
      const address = URL.createObjectURL(new Blob([`${JSON.stringify(report, null, 2)}\n`], { type: "application/json" }));
      el("a", { href: address, download: "report.json" }).click();
      setTimeout(() => URL.revokeObjectURL(address), 1000);
    } }, word("save")));
  }

  function drawCharts(width) {
    const look = readLook();
    for (const item of page.charts) {
      const wide = width || item.canvas.clientWidth;
      const size = { width: wide, height: chartHeight(item.chart, wide) };
      item.canvas.style.height = `${size.height}px`;
      const { x, y } = chartScales(item.chart);
      const titles = [titleWithUnit(item.chart.y.title, y.unit), titleWithUnit(item.chart.x.title, x.unit)];
      item.above.textContent = liesDown(item.chart, wide) ? titles[1] : titles[0];
      item.below.textContent = liesDown(item.chart, wide) ? titles[0] : titles[1];
      item.swatches.forEach((swatch, i) => { swatch.style.color = seriesColor(item.chart, i, look); });
      item.drawn ||= echarts.init(item.canvas, null, { renderer: "svg", ...size });
      item.drawn.resize(size);
      item.drawn.setOption(chartOption(item.chart, look, wide), { notMerge: true });
    }
  }

  function draw() {
    document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
    document.documentElement.dataset.theme = isDark() ? "dark" : "light";
    document.title = `${say(report.title)} · ${word(WORDS[report.verdict] ? report.verdict : "done")}`;
    for (const item of page.charts) item.drawn?.dispose();
    page.charts = [];
    const root = document.getElementById("page");
    root.replaceChildren(
      el("header", {}, topBar(), el("h1", {}, say(report.title)), verdict(), contents() ?? ""),
      el("main", {},
        report.schema_version > 1 ? noticeBlock({ level: "warning", text: { en: word("newer") } }) : "",
        report.sections.map((s, i) => el("section", { id: `section-${i}` }, el("h2", {}, say(s.title)), s.blocks.map((b) => blockOf(b, page)))),
        provenance()),
      saveLink());
    drawCharts();
  }

  function redraw(focus) {
    const top = scrollY;
    const open = [...document.querySelectorAll("details")].map((d) => d.open);
    draw();
    document.querySelectorAll("details").forEach((d, i) => { d.open = open[i]; });
    document.getElementById(focus)?.focus();
    scrollTo(0, top);
  }

  let shownWidth = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === shownWidth) return;
    shownWidth = innerWidth;
    drawCharts();
  });
  darkWanted.addEventListener("change", () => redraw());
  addEventListener("beforeprint", () => {
    document.documentElement.dataset.theme = "light";
    drawCharts(640);
  });
  addEventListener("afterprint", () => redraw());
  draw();
  document.documentElement.dataset.drawn = String(page.charts.length);
})();
