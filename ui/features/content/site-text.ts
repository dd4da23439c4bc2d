import { queryOptions } from "@tanstack/react-query";
import { readData } from "../../api/client.ts";
import { statusApi } from "../../api/groups.ts";

export const SITE_TEXT_KEY = ["site-text"] as const;

/** A text that the administrator writes for everybody; empty when none is set. */
export const siteText = (name: "home_page_content" | "about" | "notice") =>
  queryOptions({
    queryKey: [...SITE_TEXT_KEY, name],
    queryFn: async ({ signal }) =>
      (await readData(statusApi[name].get({ fetch: { signal } }), { stayOn401: true })).trim(),
    staleTime: 60_000,
  });
