import { useAtom } from "jotai";
import { lazy, Suspense, useCallback, useEffect, useLayoutEffect, useRef } from "react";
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
  const takeTyped = useTypedAhead(isOpen, () => setOpen(false));
  if (!isOpen) return null;
  return (
    <Suspense>
      <CommandPalette takeTyped={takeTyped} onClose={() => setOpen(false)} />
    </Suspense>
  );
};

/** What was typed before the palette could take it. */
export type Typed = Readonly<{ text: string; isEntered: boolean }>;

/** Keeps the keys that come while the palette is loaded, which would else go to the page. Its result ends that, and has them. */
function useTypedAhead(isOpen: boolean, close: () => void): () => Typed {
  const end = useRef<() => Typed>(() => NOTHING);
  const onEscape = useRef(close);
  onEscape.current = close;
  // Before the palette's own effects: it may be there at once.
  useLayoutEffect(() => {
    if (!isOpen) return;
    let typed: Typed = NOTHING;
    const onKey = (event: KeyboardEvent) => {
      const { key } = event;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (key === "Escape") onEscape.current();
      else if (key === "Enter") typed = { ...typed, isEntered: true };
      else if (key === "Backspace") typed = { ...typed, text: typed.text.slice(0, -1) };
      else if (key.length === 1) typed = { ...typed, text: typed.text + key };
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    const stop = () => window.removeEventListener("keydown", onKey, true);
    window.addEventListener("keydown", onKey, true);
    end.current = () => {
      stop();
      end.current = () => NOTHING;
      return typed;
    };
    return stop;
  }, [isOpen]);
  return useCallback(() => end.current(), []);
}

const NOTHING: Typed = { text: "", isEntered: false };
