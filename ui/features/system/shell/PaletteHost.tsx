import { useAtom } from "jotai";
import { lazy, Suspense, useEffect } from "react";
import { loadTexts } from "../../../state/i18n.ts";
import { withQueries } from "../../../state/query-client.ts";
import { paletteAtom } from "./nav.ts";

const CommandPalette = lazy(async () => {
  const [{ CommandPalette: palette }] = await Promise.all([
    withQueries(import("../../../signed-in.ts")).then((pages) => pages.commandPalette()),
    // It finds settings by their names.
    loadTexts("signedIn", "admin", "settings"),
  ]);
  return { default: palette };
});

/** Ctrl-K or ⌘-K opens the command palette, and closes it. It listens before the palette itself is loaded. */
export const PaletteHost = () => {
  const [isOpen, setOpen] = useAtom(paletteAtom);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setOpen((was) => !was);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [setOpen]);
  if (!isOpen) return null;
  return (
    <Suspense>
      <CommandPalette onClose={() => setOpen(false)} />
    </Suspense>
  );
};
