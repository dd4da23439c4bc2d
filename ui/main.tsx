// The router's core before anything that uses it: two of its modules import each other, and the development server, which
// doesn't hoist functions across modules as the bundler does, otherwise runs them in the wrong order.
import "../node_modules/@tanstack/router-core/dist/esm/router.js";
import CssBaseline from "@mui/material/CssBaseline";
import { ThemeProvider } from "@mui/material/styles";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { retryDelayMs, shouldRetry, waitOf } from "./api/retry.ts";
import { ConfirmHost } from "./components/feedback/confirm.tsx";
import { notifyWait, Toasts } from "./components/feedback/notify.tsx";
import { prepareOffline } from "./offline/offline.ts";
import { createConsoleRouter } from "./router.tsx";
import { onLanguageSwitch, preferredLanguage, startI18n, translate } from "./state/i18n.ts";
import { declareFonts } from "./theme/fonts.ts";
import { theme } from "./theme/theme.ts";

/** Retries network failures and rate limits; never writes, and not what the server rejects. */
const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 10_000, refetchOnWindowFocus: false, retry: shouldRetry, retryDelay: retryDelayMs },
  },
});
queryClient.getQueryCache().subscribe((event) => {
  const seconds = event.type === "updated" && event.action.type === "failed" ? waitOf(event.action.error) : null;
  if (seconds !== null) notifyWait(translate("api.waiting", { seconds }), seconds);
});
const router = createConsoleRouter(queryClient);

/** No top-level await: the bundler can't share code of such a module with the pages. */
async function start(): Promise<void> {
  const root = document.getElementById("root");
  if (!root) throw new Error("the page has no root element");
  declareFonts();
  await startI18n(preferredLanguage());
  // Some responses contain text in the request's language.
  onLanguageSwitch(() => void queryClient.invalidateQueries());
  prepareOffline();
  createRoot(root).render(
    <StrictMode>
      <ThemeProvider theme={theme} defaultMode="system" modeStorageKey="theme-mode" noSsr>
        <CssBaseline />
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
          <ConfirmHost />
          <Toasts />
        </QueryClientProvider>
      </ThemeProvider>
    </StrictMode>,
  );
}

void start();
