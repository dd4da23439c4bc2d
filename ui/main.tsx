// The router's core before anything that uses it: two of its modules import each other, and the development server, which
// doesn't hoist functions across modules as the bundler does, otherwise runs them in the wrong order.
import "../node_modules/@tanstack/router-core/dist/esm/router.js";
import CssBaseline from "@mui/material/CssBaseline";
import { ThemeProvider } from "@mui/material/styles";
import { QueryClientContext } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useAtomValue } from "jotai";
import { lazy, StrictMode, Suspense, startTransition } from "react";
import { createRoot } from "react-dom/client";
import { ConfirmHost } from "./components/feedback/confirm.tsx";
import { Toasts } from "./components/feedback/notify.tsx";
import { prepareOffline } from "./offline/offline.ts";
import { createConsoleRouter } from "./router.tsx";
import { preferredLanguage, startI18n } from "./state/i18n.ts";
import { queryClientAtom } from "./state/query-client.ts";
import { declareFonts } from "./theme/fonts.ts";
import { theme } from "./theme/theme.ts";
import { IS_TOUCH } from "./theme/touch.ts";

const router = createConsoleRouter();
const TouchStyles = lazy(async () => ({ default: (await import("./theme/TouchStyles.tsx")).TouchStyles }));

/** The console, with the cache of what pages read once it is loaded. */
const Console = () => (
  <QueryClientContext.Provider value={useAtomValue(queryClientAtom)}>
    <RouterProvider router={router} />
    <ConfirmHost />
    <Toasts />
    {matchMedia(IS_TOUCH).matches && (
      <Suspense>
        <TouchStyles />
      </Suspense>
    )}
  </QueryClientContext.Provider>
);

/** No top-level await: the bundler can't share code of such a module with the pages. */
async function start(): Promise<void> {
  const root = document.getElementById("root");
  if (!root) throw new Error("the page has no root element");
  declareFonts();
  await startI18n(preferredLanguage());
  prepareOffline();
  // In slices, so that what is pressed meanwhile is answered.
  startTransition(() =>
    createRoot(root).render(
      <StrictMode>
        <ThemeProvider theme={theme} defaultMode="system" modeStorageKey="theme-mode" noSsr>
          <CssBaseline />
          <Console />
        </ThemeProvider>
      </StrictMode>,
    ),
  );
}

void start();
