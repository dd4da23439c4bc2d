import { useQuery } from "@tanstack/react-query";
import { isEasyToGuess } from "./weak-password.ts";

/** Whether a password that is being typed is easy to guess, or known from leaks: what knows those is loaded by then. */
export function useEasyToGuess(password: string, username: string): boolean {
  const { data: isCommon } = useQuery({
    queryKey: ["common-passwords"],
    queryFn: async () => (await import("./common-passwords.ts")).isCommonPassword,
    enabled: password !== "",
    staleTime: Number.POSITIVE_INFINITY,
  });
  return isEasyToGuess(password, username) || (isCommon?.(password) ?? false);
}
