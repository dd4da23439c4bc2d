import { useLocation, useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

type Value = string | number | undefined;

/** The page state in the URL, so that a view can be shared and survives a reload. */
export type Address = Readonly<{
  /** Empty when it is not set. */
  text: (key: string) => string;
  /** Undefined when it is not set or not a number. */
  number: (key: string) => number | undefined;
  /** Empty and undefined remove a key. */
  set: (changes: Readonly<Record<string, Value>>) => void;
  clear: () => void;
}>;

/**
 * Reads and changes the URL's query; a change replaces the history entry and scrolls to the top. `keepsPlace` keeps the
 * scroll position, for a list in the middle of a page.
 */
export function useAddress({ keepsPlace = false }: Readonly<{ keepsPlace?: boolean }> = {}): Address {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const set = useCallback(
    (changes: Readonly<Record<string, Value>>) =>
      void navigate({
        to: ".",
        search: (now: object) => withoutBlanks({ ...now, ...changes }),
        replace: true,
        resetScroll: !keepsPlace,
      }),
    [navigate, keepsPlace],
  );
  const clear = useCallback(() => void navigate({ to: ".", search: {}, replace: true }), [navigate]);
  const text = (key: string) => {
    const value = search[key];
    return ["string", "number", "boolean"].includes(typeof value) ? String(value) : "";
  };
  const number = (key: string) => {
    const value = text(key);
    return value !== "" && Number.isFinite(Number(value)) ? Number(value) : undefined;
  };
  return { text, number, set, clear };
}

const withoutBlanks = (values: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== ""));

/** The path of the open page; unlike the router's location it does not change with the query. */
export const usePathname = (): string => useLocation({ select: ({ pathname }) => pathname });
