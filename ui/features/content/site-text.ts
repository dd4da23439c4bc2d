import { queryOptions } from "@tanstack/react-query";
import { request } from "../../api/client.ts";

/** A text that the administrator writes for visitors; empty when none is set. */
export const siteText = (name: "home_page_content" | "about") =>
  queryOptions({
    queryKey: ["site-text", name],
    queryFn: async ({ signal }) => (await request<string>(`/api/${name}`, { signal, stayOn401: true })).data.trim(),
    staleTime: 60_000,
  });
