// Highlighting of the texts: picasso, and enough of WGSL, GLSL, SPIR-V text and IR to tell words
// from comments. Every color comes from the style sheet.

import { HighlightStyle, StreamLanguage, type StreamParser } from "@codemirror/language";
import { tags } from "@lezer/highlight";

interface Rules {
  comment: RegExp;
  rows: [RegExp, string][];
}

/** A stateless parser that tries its rows at each place. */
function parser({ comment, rows }: Rules): StreamParser<null> {
  return {
    startState: () => null,
    token(stream) {
      if (stream.eatSpace()) return null;
      if (stream.match(comment)) return "comment";
      for (const [pattern, name] of rows) if (stream.match(pattern)) return name;
      stream.next();
      return null;
    },
    languageData: { commentTokens: { line: ";" } },
  };
}

const NUMBER: [RegExp, string] = [/^-?(0x[\da-f]+|\d+(\.\d*)?(e[-+]?\d+)?)[fu]?\b/i, "number"];

const PICASSO = parser({
  comment: /^;.*/,
  rows: [
    [/^"[^"]*"?/, "string"],
    [/^\.[a-z_]\w*/i, "keyword"],
    [/^[A-Za-z_]\w*:/, "labelName"],
    [/^(?:[vrocib]\d+|a[01L]|cc)(?![\w])/i, "variableName"],
    [
      /^(?:add|dp[34h]|dst|ex2|lg2|litp|mul|sge|slt|flr|max|min|rcp|rsq|mov|mova|break|nop|end|breakc|callc?|callu|ifu|ifc?|loop|else|for|emit|setemit|jmpc|jmpu|cmp|mad[i]?|[a-z]{2,5}i)\b/i,
      "operator",
    ],
    NUMBER,
    [/^[A-Za-z_]\w*/, "name"],
  ],
});

const SHADING = parser({
  comment: /^\/\/.*/,
  rows: [
    [/^#\w+/, "keyword"],
    [
      /^(?:fn|let|var|const|struct|return|if|else|loop|for|while|switch|case|default|break|continue|continuing|void|uniform|layout|precise|in|out|inout|precision|highp|override|discard)\b/,
      "keyword",
    ],
    [/^@\w+/, "meta"],
    [/^(?:[biu]?vec[234]\w*|mat\dx?\d?\w*|f32|u32|i32|bool|float|u?int|array|ptr|atomic)\b/, "typeName"],
    NUMBER,
    [/^[A-Za-z_]\w*/, "name"],
  ],
});

const MODULE = parser({
  comment: /^(?:;.*|\/\/.*)/,
  rows: [
    [/^"[^"]*"?/, "string"],
    [/^%\w+/, "variableName"],
    [/^Op[A-Z]\w*/, "operator"],
    [/^(?:if|else|loop|break|continue|return|module|func|block|switch|case)\b/, "keyword"],
    NUMBER,
    [/^[A-Za-z_]\w*/, "name"],
  ],
});

export const languages = {
  picasso: StreamLanguage.define(PICASSO),
  shading: StreamLanguage.define(SHADING),
  module: StreamLanguage.define(MODULE),
};

export const highlight = HighlightStyle.define([
  { tag: tags.comment, class: "t-comment" },
  { tag: [tags.keyword, tags.meta], class: "t-keyword" },
  { tag: tags.operator, class: "t-operator" },
  { tag: tags.variableName, class: "t-register" },
  { tag: tags.labelName, class: "t-label" },
  { tag: tags.typeName, class: "t-type" },
  { tag: tags.number, class: "t-number" },
  { tag: tags.string, class: "t-string" },
]);
