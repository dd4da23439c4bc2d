import { useSetAtom } from "jotai";
import { useEffect } from "react";
import { sitePath } from "../../lib/base-path.ts";
import { type Checks, isShape, isText } from "../../lib/json.ts";
import { previewAtom } from "../../state/site-status.ts";

/** What the settings page sends its preview: unsaved values. */
export type BrandDraft = Readonly<{
  name: string;
  logo: string;
  title: string;
  lead: string;
  /** Empty: the console's own. */
  color: string;
  css: string;
}>;

const IS_DRAFT = "brand-draft";

const DRAFT: Checks<BrandDraft> = {
  ...{ name: isText, logo: isText, title: isText, lead: isText },
  ...{ color: isText, css: isText },
};
const isMessage = isShape<Readonly<{ kind: string; draft: BrandDraft }>>({ kind: isText, draft: isShape(DRAFT) });

/** The draft in a message; null unless the window around this one sent it, from this site, and it is complete. */
export function readDraft(
  { origin, source, data }: Pick<MessageEvent<unknown>, "origin" | "source" | "data">,
  here: Readonly<{ parent: unknown; location: Pick<Location, "origin"> }>,
): BrandDraft | null {
  if (origin !== here.location.origin || source !== here.parent) return null;
  return isMessage(data) && data.kind === IS_DRAFT ? data.draft : null;
}

/** Sends unsaved values to the home page in a frame of the settings. */
export const sendDraft = (frame: Window, draft: BrandDraft): void =>
  frame.postMessage({ kind: IS_DRAFT, draft }, window.location.origin);

/** Notifies the settings page that the preview listens. */
const READY = "brand-preview-ready";

/** Calls `onReady` when the home page in a frame is ready for drafts. */
export function listenForPreview(onReady: () => void): () => void {
  const onMessage = ({ origin, data }: MessageEvent) => {
    if (origin === window.location.origin && data === READY) onReady();
  };
  window.addEventListener("message", onMessage);
  return () => window.removeEventListener("message", onMessage);
}

/** In a frame of the settings page: shows the unsaved values that it sends. */
export function useBrandPreview(): void {
  const setPreview = useSetAtom(previewAtom);
  useEffect(() => {
    if (window.parent === window) return;
    const link = document.createElement("link");
    link.rel = "stylesheet";
    const style = document.createElement("style");
    const onMessage = (event: MessageEvent) => {
      const draft = readDraft(event, window);
      if (!draft) return;
      setPreview({
        system_name: draft.name,
        logo: draft.logo,
        home_title: draft.title,
        home_lead: draft.lead,
      });
      // Without a color the console's own remains; the saved style sheet is replaced by what is typed.
      for (const saved of document.querySelectorAll(`link[href="${sitePath("/brand.css")}"]`)) saved.remove();
      const href = draft.color === "" ? "" : sitePath(`/brand.css?color=${encodeURIComponent(draft.color)}`);
      if (href === "") link.remove();
      else {
        link.setAttribute("href", href);
        document.head.append(link);
      }
      style.textContent = draft.css;
      document.head.append(style);
    };
    window.addEventListener("message", onMessage);
    window.parent.postMessage(READY, window.location.origin);
    return () => window.removeEventListener("message", onMessage);
  }, [setPreview]);
}
