import Box from "@mui/material/Box";
import Skeleton from "@mui/material/Skeleton";
import { queryOptions } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { readData } from "../../api/client.ts";
import { statusApi } from "../../api/groups.ts";

/** Markdown support is large, so it is loaded on demand. */
const Prose = lazy(async () => ({ default: (await import("./Prose.tsx")).Prose }));

/** An administrator's text for visitors: an https URL in a sandboxed frame, else Markdown. */
export const SiteText = ({ text, frameTitle }: { text: string; frameTitle: string }) => {
  const address = frameAddress(text);
  if (address) {
    return (
      <Box
        component="iframe"
        src={address}
        title={frameTitle}
        sandbox="allow-scripts allow-forms allow-popups"
        referrerPolicy="no-referrer"
        sx={{ display: "block", width: "100%", height: "calc(100dvh - 56px)", border: 0 }}
      />
    );
  }
  return (
    <Box sx={{ maxWidth: 760, mx: "auto", width: "100%", px: { xs: 4, sm: 6 }, py: 8 }}>
      <Suspense fallback={<ProseSkeleton />}>
        <Prose text={text} />
      </Suspense>
    </Box>
  );
};

const ProseSkeleton = () => (
  <>
    <Skeleton width="40%" height={32} />
    <Skeleton width="92%" height={22} />
    <Skeleton width="86%" height={22} />
    <Skeleton width="64%" height={22} />
  </>
);

/** The URL if the text is a single https URL, which is shown in a frame; else null. */
export function frameAddress(text: string): string | null {
  const trimmed = text.trim();
  if (!/^https:\/\/\S+$/i.test(trimmed)) return null;
  return URL.parse(trimmed)?.href ?? null;
}

export const SITE_TEXT_KEY = ["site-text"] as const;

/** A text that the administrator writes for everybody; empty when none is set. */
export const siteText = (name: "home_page_content" | "about" | "notice") =>
  queryOptions({
    queryKey: [...SITE_TEXT_KEY, name],
    queryFn: async ({ signal }) =>
      (await readData(statusApi[name].get({ fetch: { signal } }), { stayOn401: true })).trim(),
    staleTime: 60_000,
  });
