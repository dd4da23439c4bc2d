import { expect, test } from "bun:test";
import { CONSOLE_PAGES } from "../src/console/system/web-assets/console-pages.ts";
import { createConsoleRouter } from "./router.tsx";

test("the server knows the addresses of all pages, and of no others", () => {
  expect(CONSOLE_PAGES.toSorted()).toEqual(Object.keys(createConsoleRouter().routesByPath).toSorted());
});
