import { lazy, Suspense, useEffect, useState } from "react";
import { PALETTE_EVENT } from "./palette-event.ts";

const CommandPalette = lazy(async () => ({ default: (await import("../../signed-in.ts")).CommandPalette }));

/** Ctrl-K or ⌘-K opens the command palette, and closes it. It listens before the palette itself is loaded. */
export const PaletteHost = () => {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const open = () => setOpen(true);
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setOpen((was) => !was);
    };
    window.addEventListener(PALETTE_EVENT, open);
    window.addEventListener("keydown", onKey);
    return () => {
      window.removeEventListener(PALETTE_EVENT, open);
      window.removeEventListener("keydown", onKey);
    };
  }, []);
  if (!isOpen) return null;
  return (
    <Suspense>
      <CommandPalette onClose={() => setOpen(false)} />
    </Suspense>
  );
};
