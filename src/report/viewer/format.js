"use strict";
// Numbers as people read them. A group of numbers that stand together (a column, an axis, a value with its bounds) gets one
// scale: one unit and one count of decimals, so that they line up and compare at a glance.
const STEPS = {
  bytes: [[1, "B"], [1024, "KiB"], [1024 ** 2, "MiB"], [1024 ** 3, "GiB"], [1024 ** 4, "TiB"]],
  duration: [[1e-9, "ns"], [1e-6, "µs"], [1e-3, "ms"], [1, "s"], [60, "min"], [3600, "h"]],
};
const DASH = "–";

const isInterval = (value) => value !== null && typeof value === "object" && "low" in value;
const isText = (value) => value !== null && typeof value === "object" && "en" in value;

// Every finite number in a list of values, bounds included.
function numbersOf(values) {
  const flat = values.flatMap((v) => (isInterval(v) ? [v.value, v.low, v.high] : [v]));
  return flat.filter((v) => typeof v === "number" && Number.isFinite(v));
}

function superscript(exponent) {
  return String(exponent).replace(/./g, (c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]);
}

// { factor, unit, write(number) }; factor is what to multiply the file's numbers with.
function scaleOf(format, values) {
  const numbers = numbersOf(values);
  const largest = Math.max(0, ...numbers.map(Math.abs));
  let factor = 1;
  let unit = format.unit || "";
  if (format.kind === "percent") {
    factor = 100;
    unit = "%";
  } else if (STEPS[format.kind]) {
    const steps = STEPS[format.kind];
    const step = steps.findLast(([size, name]) => largest >= size * (name === "min" || name === "h" ? 2 : 1)) ||
      (largest === 0 && format.kind === "duration" ? steps[3] : steps[0]);
    factor = 1 / step[0];
    unit = step[1];
  }
  const scaled = numbers.map((n) => Math.abs(n * factor)).filter((n) => n > 0);
  const top = Math.max(0, ...scaled);
  const bottom = Math.min(top, ...scaled);
  const whole = format.digits === undefined && scaled.every(Number.isInteger) && top < 1e15;
  const significant = format.kind === "number" ? 4 : 3;
  let options;
  let scientific = false;
  if (format.digits !== undefined) {
    options = { minimumFractionDigits: format.digits, maximumFractionDigits: format.digits };
  } else if (whole) {
    options = { maximumFractionDigits: 0 };
  } else if (top >= 1e7 || top < 1e-4) {
    scientific = true;
  } else if (top / bottom > 1e4) {
    options = { maximumSignificantDigits: significant };
  } else {
    const decimals = Math.min(9, Math.max(0, significant - 1 - Math.floor(Math.log10(top))));
    options = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  }
  const local = scientific ? null : new Intl.NumberFormat(language, options);
  const write = (number) => {
    if (typeof number !== "number" || !Number.isFinite(number)) return DASH;
    const shown = number * factor;
    if (!scientific) {
      const text = local.format(shown);
      return text.replace("-", /[1-9∞]/.test(text) ? "−" : ""); // nothing is less than nothing
    }
    const [mantissa, exponent] = shown.toExponential(significant - 1).split("e");
    return `${mantissa.replace("-", "−")} × 10${superscript(Number(exponent))}`;
  };
  return { factor, unit, write };
}

// A tick of an axis whose numbers are scaled already.
function writeTick(number) {
  if (number !== 0 && (Math.abs(number) >= 1e7 || Math.abs(number) < 1e-3)) {
    const [mantissa, exponent] = number.toExponential(3).split("e");
    const short = String(Number(mantissa));
    return `${short === "1" ? "" : `${short} × `}10${superscript(Number(exponent))}`;
  }
  return new Intl.NumberFormat(language, { maximumSignificantDigits: 6 }).format(number).replace("-", "−");
}

const withUnit = (text, unit) => (unit && text !== DASH ? `${text}\u00a0${unit}` : text);

// A value as nodes: its number, its bounds in smaller type. withoutUnit where a column's head says the unit.
function valueNodes(value, scale, format, withoutUnit) {
  const unit = withoutUnit ? "" : scale.unit;
  if (value === null) return [DASH];
  if (typeof value === "boolean") return [word(value ? "yes" : "no")];
  if (typeof value === "number") return [withUnit(scale.write(value), unit)];
  if (isInterval(value)) {
    const bounds = `[${scale.write(value.low)}, ${scale.write(value.high)}]`;
    return [withUnit(scale.write(value.value), unit), " ", el("span", { class: "bounds" }, bounds)];
  }
  const text = isText(value) ? say(value) : value;
  return format.kind === "code" ? [el("code", {}, text)] : [text];
}

function titleWithUnit(title, unit) {
  return unit ? `${say(title)}${language === "zh" ? "（" : " ("}${unit}${language === "zh" ? "）" : ")"}` : say(title);
}

function writeTime(time) {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  return new Intl.DateTimeFormat(language === "zh" ? "zh-CN" : "en-GB", { dateStyle: "medium", timeStyle: "long" }).format(date);
}
