import type { Page } from "playwright";

/** Something that can be pressed and is smaller than a finger needs. */
export type SmallTarget = Readonly<{ name: string; html: string; width: number; height: number }>;

/**
 * Whatever can be pressed on the open page and takes touches on less than 44 × 44 px, with the room around it that a style gives it.
 * Links within a text are let go, as WCAG 2.5.5 does.
 */
export const findSmallTargets = (page: Page): Promise<SmallTarget[]> =>
  page.evaluate(() => {
    const TARGET_PX = 44;
    const ROUNDING_PX = 0.5;
    const PRESSED =
      "a[href], button, input, select, textarea, [role=button], [role=tab], [role=menuitem], [role=option], [role=switch], [role=combobox]";
    /** The parts of a text field take its touches together. */
    const FIELD = ".MuiInputBase-root, .MuiSlider-root";
    const isWithinText = (node: Element) => {
      if (!node.matches("a, .MuiLink-root")) return false;
      const around = node.parentElement?.textContent?.trim() ?? "";
      return around.length > (node.textContent?.trim().length ?? 0);
    };
    const isShown = (node: Element) =>
      node.checkVisibility({ opacityProperty: false, visibilityProperty: true }) &&
      !node.matches(
        ":disabled, [aria-disabled=true], [aria-hidden=true], [aria-hidden=true] *, [tabindex='-1']:not([role])",
      );
    return [...document.querySelectorAll(PRESSED)].flatMap((node) => {
      const field = node.closest(FIELD);
      const target = field ?? node;
      const box = target.getBoundingClientRect();
      // Left of the page: the link to the content, until it is focused.
      if (!isShown(node) || isWithinText(node) || box.width === 0 || box.right < 0) return [];
      const around = getComputedStyle(target, "::after");
      const isAround = around.content !== "none" && around.position === "absolute";
      const width = Math.max(box.width, isAround ? Number.parseFloat(around.width) || 0 : 0);
      const height = Math.max(box.height, isAround ? Number.parseFloat(around.height) || 0 : 0);
      if (width >= TARGET_PX - ROUNDING_PX && height >= TARGET_PX - ROUNDING_PX) return [];
      const name = node.getAttribute("aria-label") ?? node.textContent?.trim().slice(0, 40) ?? "";
      return [{ name, html: node.outerHTML.slice(0, 160), width: Math.round(width), height: Math.round(height) }];
    });
  });
