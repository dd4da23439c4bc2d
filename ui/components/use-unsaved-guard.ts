import { useBlocker } from "@tanstack/react-router";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { useConfirm } from "./confirm.tsx";

/**
 * Asks before something typed is lost: by closing the form (call the result), by going to another page, or by leaving
 * the site.
 */
export function useUnsavedGuard(isDirty: boolean, onClose: () => void): () => Promise<void> {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const isLeaving = useRef(false);
  const mayLeave = () =>
    confirm({
      title: t("components.drawer.unsavedTitle"),
      body: t("components.drawer.unsavedBody"),
      action: t("components.drawer.discard"),
      isDangerous: true,
    });
  useBlocker({
    disabled: !isDirty,
    enableBeforeUnload: isDirty,
    // Another view of the same page keeps what was typed.
    shouldBlockFn: async ({ current, next }) =>
      !isLeaving.current && current.pathname !== next.pathname && !(await mayLeave()),
  });
  return async () => {
    if (isDirty && !(await mayLeave())) return;
    isLeaving.current = true;
    onClose();
  };
}
