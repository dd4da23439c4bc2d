import MenuOutlined from "@mui/icons-material/MenuOutlined";
import SearchOutlined from "@mui/icons-material/SearchOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import ButtonBase from "@mui/material/ButtonBase";
import IconButton from "@mui/material/IconButton";
import useMediaQuery from "@mui/material/useMediaQuery";
import { Link } from "@tanstack/react-router";
import { useSetAtom } from "jotai";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { Logo } from "../../../components/display/Logo.tsx";
import { Tag } from "../../../components/display/Tag.tsx";
import { Row, useNarrow, usePhone } from "../../../components/layout.tsx";
import { usePathname } from "../../../components/use-address.ts";
import { sitePath } from "../../../lib/base-path.ts";
import { withQueries } from "../../../state/query-client.ts";
import { useSession } from "../../../state/session.ts";
import { useSite, useSiteName } from "../../../state/site-status.ts";
import { size } from "../../../theme/theme.ts";
import { LanguageMenu, ThemeMenu } from "./menus/PreferenceMenus.tsx";
import { PALETTE_KEYS, paletteAtom, useSiteLinks } from "./nav.ts";

/** Aligns the top links with the content next to the sidebar. */
const BRAND_INSET = 16;

/** Only signed-in users see it, so the sign-in page doesn't load it. */
const AccountMenu = lazy(async () => ({ default: (await withQueries(import("../../../signed-in.ts"))).AccountMenu }));

const Bell = lazy(async () => ({ default: (await withQueries(import("../../../signed-in.ts"))).Bell }));

/** The top bar: site name, main links, search, language, theme and account. */
export const Header = ({ onMenu }: { onMenu?: () => void }) => {
  const { t } = useTranslation();
  const isPhone = usePhone();
  const isNarrow = useNarrow();
  const hasPaletteField = useMediaQuery("(min-width:1240px)", { noSsr: true });
  const pathname = usePathname();
  const { user } = useSession();
  return (
    <Box
      component="header"
      sx={{
        display: "flex",
        alignItems: "center",
        gap: isPhone ? 0 : 2,
        position: "sticky",
        top: 0,
        zIndex: 100,
        height: size.header,
        flex: "none",
        px: isPhone ? 1.5 : 4,
        bgcolor: "surface.canvas",
        borderBottom: "1px solid",
        borderColor: "line.main",
      }}
    >
      {onMenu && (
        <IconButton aria-label={t("shell.menu")} onClick={onMenu}>
          <MenuOutlined />
        </IconButton>
      )}
      <Box sx={isNarrow ? { minWidth: 0 } : { minWidth: size.sider - BRAND_INSET }}>
        <Brand />
      </Box>
      {!isNarrow && pathname !== "/setup" && <SiteLinks />}
      <Box sx={{ flex: 1 }} />
      {user && (hasPaletteField ? <PaletteButton /> : <PaletteIcon />)}
      {user && (
        <Suspense fallback={<Box sx={{ width: 32 }} />}>
          <Bell />
        </Suspense>
      )}
      <LanguageMenu />
      <ThemeMenu />
      {user ? (
        <Suspense fallback={<Box sx={{ width: 32 }} />}>
          <AccountMenu user={user} />
        </Suspense>
      ) : (
        pathname !== "/login" &&
        pathname !== "/setup" && (
          <Button component={Link} to="/login">
            {t("shell.signIn")}
          </Button>
        )
      )}
    </Box>
  );
};

const Brand = () => {
  const { t } = useTranslation();
  const site = useSite();
  const name = useSiteName();
  return (
    <Row gap={2}>
      <ButtonBase
        component={Link}
        to="/"
        aria-label={name}
        sx={{ gap: 2, borderRadius: "6px", color: "text.primary", minWidth: 0 }}
      >
        {site?.logo ? (
          <Box component="img" src={sitePath(site.logo)} alt="" sx={{ height: 22, flex: "none" }} />
        ) : (
          <Logo size={20} />
        )}
        <Box
          component="span"
          sx={{
            fontSize: 16,
            fontWeight: 650,
            letterSpacing: "-0.02em",
            whiteSpace: "nowrap",
            overflow: "hidden",
            textOverflow: "ellipsis",
            // The logo alone says it.
            "@media (max-width: 359px)": { display: "none" },
          }}
        >
          {name}
        </Box>
      </ButtonBase>
      {/* On a phone they would leave no room for the site's name. */}
      <Box sx={{ display: { xs: "none", sm: "contents" } }}>
        {site?.self_use_mode_enabled && <Tag>{t("shell.selfUse")}</Tag>}
        {site?.demo_site_enabled && <Tag>{t("shell.demo")}</Tag>}
      </Box>
      {isNewYear() && (
        <span role="img" aria-label={t("shell.newYear")} title={t("shell.newYear")}>
          🎆
        </span>
      )}
    </Row>
  );
};

const isNewYear = (now = new Date()): boolean => now.getMonth() === 0 && now.getDate() === 1;

const SiteLinks = () => {
  const { t } = useTranslation();
  return (
    <Box
      component="nav"
      aria-label={t("shell.navigation")}
      sx={{ display: "flex", gap: 0.5, minWidth: 0, overflowX: "auto", scrollbarWidth: "none" }}
    >
      {useSiteLinks().map((link) => (
        <Button
          key={link.key}
          variant="text"
          {...("to" in link
            ? { component: Link, to: link.to }
            : { component: "a", href: link.href, target: "_blank", rel: "noreferrer" })}
          aria-current={link.isHere ? "page" : undefined}
          sx={link.isHere ? { color: "text.primary", fontWeight: 650 } : {}}
        >
          {link.label}
        </Button>
      ))}
    </Box>
  );
};

const PaletteButton = () => {
  const { t } = useTranslation();
  const setOpen = useSetAtom(paletteAtom);
  return (
    <ButtonBase
      onClick={() => setOpen(true)}
      sx={{
        width: 260,
        height: 32,
        px: 2.5,
        gap: 2,
        justifyContent: "flex-start",
        borderRadius: "7px",
        border: "1px solid",
        borderColor: "line.strong",
        bgcolor: "surface.paper",
        color: "text.tertiary",
        fontSize: 13,
        whiteSpace: "nowrap",
      }}
    >
      <SearchOutlined sx={{ fontSize: 16 }} />
      <Box
        component="span"
        sx={{ flex: 1, minWidth: 0, overflow: "hidden", textOverflow: "ellipsis", textAlign: "left" }}
      >
        {t("shell.palette.open")}
      </Box>
      <kbd aria-hidden>{PALETTE_KEYS}</kbd>
    </ButtonBase>
  );
};

const PaletteIcon = () => {
  const { t } = useTranslation();
  const setOpen = useSetAtom(paletteAtom);
  return (
    <IconButton aria-label={t("shell.palette.open")} onClick={() => setOpen(true)}>
      <SearchOutlined />
    </IconButton>
  );
};
