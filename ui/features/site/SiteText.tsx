import Box from "@mui/material/Box";
import Skeleton from "@mui/material/Skeleton";
import { queryOptions } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { readData } from "../../api/client.ts";
import { statusApi } from "../../api/groups.ts";

/** Markdown is big: it is loaded where a text is shown. */
const Prose = lazy(async () => ({ default: (await import("./Prose.tsx")).Prose }));

/** What an administrator wrote for visitors: an https address as a frame without rights over this page, else Markdown. */
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

/** The address when the text is nothing but one https address, which is then shown in a frame; else null. */
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
