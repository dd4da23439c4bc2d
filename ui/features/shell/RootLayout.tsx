import Box from "@mui/material/Box";
import { useQuery } from "@tanstack/react-query";
import { Outlet, useLocation } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { notifyError } from "../../components/notify.tsx";
import { usePhone } from "../../components/usePhone.ts";
import { siteStatus } from "../../site-status.ts";
import { size } from "../../theme.ts";
import { useSession } from "../session/session.tsx";
import { isAdmin } from "../session/stored-user.ts";
import { Footer } from "./Footer.tsx";
import { Header } from "./Header.tsx";
import { NotPermitted } from "./NotPermitted.tsx";
import { hasSiderBeside, isAdminPage, isConsolePage } from "./nav.ts";
import { PaletteHost } from "./PaletteHost.tsx";
import { useCollapsed } from "./useCollapsed.ts";
import { usePageTitle } from "./usePageTitle.ts";

/** What only people who are signed in see is not part of what the sign-in page loads. */
const Sider = lazy(async () => ({ default: (await import("../../signed-in.ts")).Sider }));
const SiderDrawer = lazy(async () => ({ default: (await import("../../signed-in.ts")).SiderDrawer }));
const SiteNotice = lazy(() => import("../content/SiteNotice.tsx"));
const KeyboardHelp = lazy(async () => ({ default: (await import("../../signed-in.ts")).KeyboardHelp }));

/** Header, sider, content and footer; pages of the console stand within margins, others have their own. */
export const RootLayout = () => {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const { user } = useSession();
  const isPhone = usePhone();
  const [isCollapsed, setCollapsed] = useCollapsed();
  /** Null until it is first opened: it is loaded then. */
  const [isMenuOpen, setMenuOpen] = useState<boolean | null>(null);
  usePageTitle();
  useSiteStatus();
  const hasSider = user !== null && hasSiderBeside(pathname);
  const isInConsole = user !== null && isConsolePage(pathname);
  const hasMenu = isPhone && pathname !== "/setup";
  const isForbidden = isAdminPage(pathname) && !isAdmin(user);
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
        {hasSider && !isPhone && (
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
            ...(hasSider && !isPhone && { borderLeft: "1px solid", borderColor: "line.main" }),
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
            {isForbidden ? <NotPermitted /> : <Outlet />}
          </Box>
          <Footer />
        </Box>
      </Box>
      {user && <PaletteHost />}
      {user && (
        <Suspense>
          <KeyboardHelp />
        </Suspense>
      )}
    </Box>
  );
};

/** Keeps the site's status fresh, and says when it cannot be read. */
function useSiteStatus(): void {
  const { t } = useTranslation();
  const { isError } = useQuery(siteStatus);
  useEffect(() => {
    if (isError) notifyError(t("shell.statusFailed"));
  }, [isError, t]);
}
