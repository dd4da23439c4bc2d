import { describe, expect, test } from "bun:test";
import { renderToStaticMarkup } from "react-dom/server";
import SafeContent from "./Prose.tsx";

/** As HTML, without what React adds to load images sooner. */
const shown = (text: string): string =>
  renderToStaticMarkup(<SafeContent text={text} />).replace(/<link rel="preload" as="image"[^>]*>/g, "");

describe("a text of an administrator", () => {
  test.each([
    "<script>alert(1)</script>",
    '<img src="x" onerror="alert(1)">',
    '<svg onload="alert(1)"><script>alert(1)</script></svg>',
    '<a href="javascript:alert(1)">x</a>',
    '<a href="JaVa&#115;cript:alert(1)">x</a>',
    '<a href="\tjavascript:alert(1)">x</a>',
    '<a href="data:text/html,<script>alert(1)</script>">x</a>',
    '<a href="vbscript:msgbox(1)">x</a>',
    "[x](javascript:alert(1))",
    "[x](<java\nscript:alert(1)>)",
    "![x](javascript:alert(1))",
    "[x]: javascript:alert(1)\n\n[x]",
    "<javascript:alert(1)>",
    '<iframe src="https://example.com" srcdoc="<script>alert(1)</script>"></iframe>',
    '<object data="javascript:alert(1)"></object><embed src="javascript:alert(1)">',
    '<form action="javascript:alert(1)"><button formaction="javascript:alert(1)">go</button></form>',
    '<div style="position:fixed;inset:0;background:url(javascript:alert(1))">over</div>',
    '<math><mtext></form><form><mglyph><style></math><img src onerror="alert(1)">',
    '<meta http-equiv="refresh" content="0;url=javascript:alert(1)"><base href="https://evil.example/">',
    '<link rel="stylesheet" href="https://evil.example/x.css"><style>*{display:none}</style>',
  ])("runs nothing: %s", (text) => {
    const html = shown(`before\n\n${text}\n\nafter`);
    // What remains of it as words is shown as words.
    const tags = html.match(/<[^>]*>/g)?.join("\n") ?? "";
    expect(tags).not.toMatch(/<(script|svg|iframe|object|embed|form|button|style|math|meta|base|link)\b/i);
    expect(tags).not.toMatch(/\s(on\w+|style|srcdoc|formaction)=/i);
    expect(tags).not.toMatch(/(href|src)="[^"]*(script|data):/i);
    expect(html).toContain("before");
  });

  test("cannot take the name of something on the page", () => {
    expect(shown('<p id="content">x</p>')).toContain('id="user-content-content"');
  });

  test.each([
    ["text-align:center", true],
    ["color: #888; font-size: 12px", true],
    ["position:fixed;inset:0", false],
    ["text-align:center;position:fixed", false],
    ["background:url(https://evil.example/x.png)", false],
  ])("keeps a style of the text alone: %s (%p)", (style, isShown) => {
    expect(shown(`<p style="${style}">x</p>`).includes("style=")).toBe(isShown);
  });

  test("keeps the footer that operators know", () => {
    const footer =
      '<p style="text-align:center" class="icp"><a href="https://icp.example.test/" target="_blank">ICP</a></p>';
    expect(shown(footer)).toBe(
      '<p style="text-align:center" class="icp"><a href="https://icp.example.test/" target="_blank" rel="noopener noreferrer">ICP</a></p>',
    );
  });

  test("keeps what is harmless: headings, links, images, tables", () => {
    const html = shown(
      "## Rates\n\n[here](https://example.com) ![](https://example.com/a.png)\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n<b>bold</b> ~~old~~",
    );
    for (const part of [
      "<h2>Rates</h2>",
      '<a href="https://example.com">here</a>',
      '<img src="https://example.com/a.png" alt=""/>',
      "<td>2</td>",
      "<b>bold</b>",
      "<del>old</del>",
    ]) {
      expect(html).toContain(part);
    }
  });
});
