import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { copyText } from "../../components/copy-text.ts";
import { notifyDone } from "../../components/notify.tsx";
import { fullKey, type Token } from "./token.ts";

const NONE: readonly Token[] = [];

/** Copies keys, one a line; `refused` holds those that the browser would not copy. */
export function useCopyKeys() {
  const { t } = useTranslation();
  const [refused, setRefused] = useState(NONE);
  const copy = async (tokens: readonly Token[]) => {
    if (await copyText(tokens.map(fullKey).join("\n"))) notifyDone(t("tokens.batch.copied", { count: tokens.length }));
    else setRefused(tokens);
  };
  const close = useCallback(() => setRefused(NONE), []);
  return { copy, refused, close };
}
