import { withBase } from "vitepress";

/** The address that the examples of the documentation have. */
const EXAMPLE = /http:\/\/localhost:3000(?![0-9])/g;

/** Puts the address of the gateway that serves the page into its examples, so that they are copied as they run. */
export function showOwnHost(): void {
  // The documentation stands one folder below the gateway's own address.
  const address = new URL("..", window.location.origin + withBase("/")).href.replace(/\/$/, "");
  for (const code of document.querySelectorAll(".vp-doc code")) {
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode())
      text.nodeValue = text.nodeValue?.replace(EXAMPLE, address) ?? null;
  }
}
