import Box from "@mui/material/Box";
import Link from "@mui/material/Link";
import { Outlet } from "@tanstack/react-router";
import { useAtom, useAtomValue } from "jotai";
import { Fragment, lazy, Suspense, useDeferredValue, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { signInAgainAtom } from "../../../api/accounts/sign-in-again.ts";
import { Row, useNarrow, usePhone } from "../../../components/layout.tsx";
import { NotPermitted } from "../../../components/page/StatePages.tsx";
import { usePathname } from "../../../components/use-address.ts";
import { sitePath } from "../../../lib/base-path.ts";
import { organizationAtom } from "../../../state/organization.ts";
import { withQueries } from "../../../state/query-client.ts";
import { useSession } from "../../../state/session.ts";
import { shortcutHelpAtom, singleKeysAtom } from "../../../state/shortcuts.ts";
import { useFreshSiteStatus, useSite, useSiteName } from "../../../state/site-status.ts";
import { storedAtom } from "../../../state/stored-atom.ts";
import { size } from "../../../theme/theme.ts";
import { Header } from "./Header.tsx";
import { isConsolePage, isForbiddenPage, isSiderPage, isUnder, NAV } from "./nav.ts";
import { PaletteHost } from "./PaletteHost.tsx";

/** Only signed-in users see these, so the sign-in page doesn't load them. */
const Sider = lazy(async () => ({ default: (await withQueries(import("../../../signed-in.ts"))).Sider }));
const SiderDrawer = lazy(async () => ({ default: (await withQueries(import("../../../signed-in.ts"))).SiderDrawer }));
const SiteNotice = lazy(() => withQueries(import("../public-pages/SiteNotice.tsx")));
const SignInAgain = lazy(async () => ({
  default: (await withQueries(import("./SignInAgain.tsx"))).SignInAgain,
}));
const PageFocus = lazy(async () => ({ default: (await withQueries(import("../../../signed-in.ts"))).PageFocus }));
const KeyboardHelp = lazy(async () => {
  const pages = await import("../../../signed-in.ts");
  return { default: (await pages.keyboardHelp()).KeyboardHelp };
});

/** Header, sidebar, content and footer; pages of the console have margins, others bring their own. */
export const RootLayout = () => {
  const { t } = useTranslation();
  const pathname = usePathname();
  const { user } = useSession();
  const onSignedIn = useAtomValue(signInAgainAtom);
  const organization = useAtomValue(organizationAtom);
  const isPhone = usePhone();
  const isNarrow = useNarrow();
  const [isCollapsed, setCollapsed] = useCollapsed();
  /** Null until first opened, when it is loaded. */
  const [isMenuOpen, setMenuOpen] = useState<boolean | null>(null);
  const isHelpOpen = useShortcutHelp();
  // The shell is there first; a page is rendered in slices, so that what is pressed meanwhile is answered.
  const hasPage = useDeferredValue(true, false);
  usePageTitle();
  useFreshSiteStatus();
  const hasSider = user !== null && isSiderPage(pathname);
  const isInConsole = user !== null && isConsolePage(pathname);
  const hasMenu = isNarrow && pathname !== "/setup";
  const isForbidden = isForbiddenPage(user, pathname);
  return (
    <Box sx={{ minHeight: "100dvh", display: "flex", flexDirection: "column", bgcolor: "surface.canvas" }}>
      <Box
        component="a"
        href="#content"
        sx={{
          position: "absolute",
          left: -9999,
          "&:focus": { left: 12, top: 12, zIndex: 2000, p: 2, borderRadius: 1, bgcolor: "surface.raised" },
        }}
      >
        {t("shell.skip")}
      </Box>
      <Header {...(hasMenu && { onMenu: () => setMenuOpen(true) })} />
      <Box sx={{ flex: 1, display: "flex", minWidth: 0 }}>
        {hasSider && !isNarrow && (
          <Box
            sx={{
              position: "sticky",
              top: size.header,
              height: `calc(100dvh - ${size.header}px)`,
              width: isCollapsed ? size.siderCollapsed : size.sider,
              flex: "none",
            }}
          >
            <Suspense>
              <Sider isCollapsed={isCollapsed} onCollapse={setCollapsed} />
            </Suspense>
          </Box>
        )}
        {hasMenu && isMenuOpen !== null && (
          <Suspense>
            <SiderDrawer isOpen={isMenuOpen} onClose={() => setMenuOpen(false)} />
          </Suspense>
        )}
        <Box
          sx={{
            flex: 1,
            minWidth: 0,
            display: "flex",
            flexDirection: "column",
            ...(isInConsole && { bgcolor: "surface.paper" }),
            ...(hasSider && !isNarrow && { borderLeft: "1px solid", borderColor: "line.main" }),
          }}
        >
          <Box
            component="main"
            id="content"
            tabIndex={-1}
            sx={{
              flex: 1,
              minWidth: 0,
              outline: "none",
              display: "flex",
              flexDirection: "column",
              ...(isInConsole && { display: "block", p: isPhone ? 4 : 6 }),
            }}
          >
            {(isInConsole || pathname === "/") && (
              <Suspense>
                <SiteNotice isBare={!isInConsole} />
              </Suspense>
            )}
            {/* Another account: nothing of the one before stays, not even a half-filled form. */}
            {hasPage && <Fragment key={organization ?? 0}>{isForbidden ? <NotPermitted /> : <Outlet />}</Fragment>}
          </Box>
          {hasPage && <Footer />}
        </Box>
      </Box>
      {user && <PaletteHost />}
      {user && onSignedIn && (
        <Suspense>
          <SignInAgain user={user} onDone={onSignedIn} />
        </Suspense>
      )}
      {user && (
        <Suspense>
          <PageFocus />
        </Suspense>
      )}
      {user && isHelpOpen && (
        <Suspense>
          <KeyboardHelp />
        </Suspense>
      )}
    </Box>
  );
};

/** Whether the list of shortcuts is open; `?` opens and closes it. */
function useShortcutHelp(): boolean {
  const [isOpen, setOpen] = useAtom(shortcutHelpAtom);
  const hasSingleKeys = useAtomValue(singleKeysAtom);
  useEffect(() => {
    if (!hasSingleKeys) return;
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.closest("input, textarea");
      if (event.key === "?" && !isTyping) setOpen((was) => !was);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [hasSingleKeys, setOpen]);
  return isOpen;
}

/** Custom footers are rare, so the sanitizer is loaded on demand. */
const SafeContent = lazy(() => import("../../../components/site/Prose.tsx"));

/** The site's own footer, or the version and a link to the project: the address that the operator names, else its documentation. */
const Footer = () => {
  const { t } = useTranslation();
  const site = useSite();
  return (
    <Box
      component="footer"
      sx={{ flex: "none", px: 6, py: 4, fontSize: 12, color: "text.tertiary", textAlign: "center" }}
    >
      {site?.footer_html ? (
        <Suspense>
          <SafeContent text={site.footer_html} />
        </Suspense>
      ) : (
        <Row gap={2} sx={{ justifyContent: "center" }}>
          {site?.version && <span>{t("shell.footer.version", { version: site.version })}</span>}
          <span aria-hidden>·</span>
          <Link
            href={site?.project_url || sitePath("/docs/")}
            target="_blank"
            rel="noopener noreferrer"
            color="inherit"
            underline="always"
          >
            {t("shell.footer.credit")}
          </Link>
        </Row>
      )}
    </Box>
  );
};

/** The choice on this device; null: none. */
const collapsedAtom = storedAtom<boolean | null>("default_collapse_sidebar", {
  parse: (text) => (text === null ? null : text === "true"),
  print: String,
});

/** Whether the sidebar is collapsed: the choice on this device, else the site's default. */
function useCollapsed(): [boolean, (collapsed: boolean) => void] {
  const byDefault = useSite()?.default_collapse_sidebar ?? false;
  const [chosen, choose] = useAtom(collapsedAtom);
  return [chosen ?? byDefault, choose];
}

/** Titles of public pages; the home page shows the site's name. */
const OPEN_PAGES: Readonly<Record<string, string>> = {
  "/login": "shell.signIn",
  "/register": "signIn.links.toRegister",
  "/reset": "reset.title",
  "/user/reset": "reset.confirm.title",
  "/setup": "setup.title",
  "/key": "keyUsage.title",
  "/status": "shell.modelStatus",
  "/reference": "shell.reference",
  "/about": "shell.about",
  "/pricing": "shell.prices",
};

/** Sets the document title to page and site. */
function usePageTitle(): void {
  const { t } = useTranslation();
  const pathname = usePathname();
  const site = useSiteName();
  const item = NAV.flatMap(({ items }) => items).find(({ path }) => isUnder(pathname, path));
  const key = item ? `shell.${item.label}` : OPEN_PAGES[pathname];
  const title = key ? `${t(key)} · ${site}` : site;
  useEffect(() => {
    document.title = title;
  }, [title]);
}
