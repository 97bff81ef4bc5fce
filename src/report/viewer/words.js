"use strict";
// What the page itself says, in English and Chinese, and which of the two it speaks now.
const WORDS = {
  accepted: ["Accepted", "通过"],
  repaired: ["Repaired and accepted", "修复后通过"],
  "rolled-back": ["Rolled back", "已回退"],
  undecided: ["Undecided, rolled back", "未能判定，已回退"],
  done: ["Done", "完成"],
  contents: ["Contents", "目录"],
  provenance: ["How this was made", "来源与环境"],
  command: ["Command", "命令"],
  copy: ["Copy", "复制"],
  copied: ["Copied", "已复制"],
  tool: ["Program", "程序"],
  started: ["Started", "开始"],
  finished: ["Finished", "结束"],
  took: ["Took", "用时"],
  attempt: ["Attempt", "尝试次数"],
  system: ["System", "系统"],
  processor: ["Processor", "处理器"],
  threads: ["Threads used", "使用线程数"],
  memory: ["Memory", "内存"],
  devices: ["Accelerators", "加速卡"],
  inputs: ["Inputs", "输入"],
  outputs: ["Outputs", "输出"],
  name: ["What", "内容"],
  path: ["Path", "路径"],
  bytes: ["Size", "大小"],
  fingerprint: ["Fingerprint", "指纹"],
  numbers: ["Numbers", "数值表"],
  prompt: ["Prompt", "提示"],
  same: ["same as the first", "与第一个相同"],
  info: ["Note", "说明"],
  warning: ["Warning", "警告"],
  error: ["Error", "错误"],
  yes: ["yes", "是"],
  no: ["no", "否"],
  met: ["as asked", "符合要求"],
  missed: ["not as asked", "不符合要求"],
  save: ["Save report.json", "保存 report.json"],
  dark: ["Dark", "深色"],
  light: ["Light", "浅色"],
  language: ["中文", "English"],
  empty: ["There are no numbers to draw.", "没有可绘制的数值。"],
  silent: ["(nothing)", "（无输出）"],
  newer: [
    "This report was written in a newer form than this page knows; some of it may be missing.",
    "此报告的格式比本页面新，部分内容可能无法显示。",
  ],
};

let language = "en";

function word(key) {
  return WORDS[key][language === "zh" ? 1 : 0];
}

// A text of the document: { en, zh? }.
function say(text) {
  if (!text) return "";
  return (language === "zh" && text.zh) || text.en;
}

// An element with attributes and children; strings become text, never markup.
function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}
