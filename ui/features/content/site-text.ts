import { queryOptions } from "@tanstack/react-query";
import { request } from "../../api/client.ts";

export const SITE_TEXT_KEY = ["site-text"] as const;

/** A text that the administrator writes for everybody; empty when none is set. */
export const siteText = (name: "home_page_content" | "about" | "notice") =>
  queryOptions({
    queryKey: [...SITE_TEXT_KEY, name],
    queryFn: async ({ signal }) => (await request<string>(`/api/${name}`, { signal, stayOn401: true })).data.trim(),
    staleTime: 60_000,
  });
