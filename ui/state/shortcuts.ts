import { atom } from "jotai";
import { storedAtom } from "./stored-atom.ts";

/**
 * Whether letters and signs alone are shortcuts on this device; who speaks or types by accident can switch them off
 * (WCAG 2.2, 2.1.4).
 */
export const singleKeysAtom = storedAtom("single-key-shortcuts", {
  parse: (text) => text !== "off",
  print: (isOn) => (isOn ? "on" : "off"),
});

/** Whether the list of shortcuts is open. */
export const shortcutHelpAtom = atom(false);
