import Box from "@mui/material/Box";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import type { CheckedAction } from "../../../../src/domain/accounts/registration/turnstile.ts";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { translate } from "../../../state/i18n.ts";
import { useSite } from "../../../state/site-status.ts";

type Widget = {
  render(
    place: HTMLElement,
    options: {
      sitekey: string;
      action: CheckedAction;
      callback: (token: string) => void;
      "expired-callback": () => void;
    },
  ): string;
  reset(id: string): void;
  remove(id: string): void;
};

declare global {
  interface Window {
    turnstile?: Widget;
  }
}

let loading: Promise<Widget> | undefined;

/** Loads the script once; retries after a failure. */
function loadWidget(address: string): Promise<Widget> {
  loading ??= new Promise<Widget>((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${address}?render=explicit`;
    script.onload = () => (window.turnstile ? resolve(window.turnstile) : reject(new Error(address)));
    script.onerror = () => {
      loading = undefined;
      reject(new Error(translate("signIn.turnstile.failed")));
    };
    document.head.append(script);
  });
  return loading;
}

type HumanCheck = Readonly<{
  /** The token to send; "" if none is required. */
  token: string;
  /** Whether a token is required but not available yet. */
  isMissing: boolean;
  /** A token works once: request a new one after each call. */
  renew: () => void;
  /** The element of the check; null if none is required. */
  widget: ReactNode;
}>;

/** Cloudflare Turnstile, if the site uses it; a token is valid only for `action`. */
export function useTurnstile(action: CheckedAction): HumanCheck {
  const site = useSite();
  const siteKey = site?.turnstile_check ? site.turnstile_site_key : "";
  const script = site?.turnstile_script;
  const [token, setToken] = useState("");
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef<{ widget: Widget; id: string } | null>(null);

  useEffect(() => {
    if (!siteKey || !script) return;
    let isUnmounted = false;
    loadWidget(script).then((widget) => {
      if (isUnmounted || !place.current) return;
      const id = widget.render(place.current, {
        sitekey: siteKey,
        action,
        callback: setToken,
        "expired-callback": () => setToken(""),
      });
      shown.current = { widget, id };
    }, notifyError);
    return () => {
      isUnmounted = true;
      shown.current?.widget.remove(shown.current.id);
      shown.current = null;
    };
  }, [siteKey, script, action]);

  const renew = useCallback(() => {
    setToken("");
    shown.current?.widget.reset(shown.current.id);
  }, []);
  return {
    token,
    isMissing: siteKey !== "" && token === "",
    renew,
    widget: siteKey === "" ? null : <Box ref={place} sx={{ minHeight: 65 }} />,
  };
}
