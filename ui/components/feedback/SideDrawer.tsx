import Close from "@mui/icons-material/Close";
import Box from "@mui/material/Box";
import Drawer from "@mui/material/Drawer";
import IconButton from "@mui/material/IconButton";
import Typography from "@mui/material/Typography";
import { useBlocker } from "@tanstack/react-router";
import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";
import { useTranslation } from "react-i18next";
import { size } from "../../theme/theme.ts";
import { submitByKeys } from "../inputs/submit-keys.ts";
import { Col, Row } from "../layout.tsx";
import { DocsLink } from "../site/DocsLink.tsx";
import { useConfirm } from "./confirm.tsx";

type Props = {
  title: ReactNode;
  subtitle?: ReactNode;
  children: ReactNode;
  /** Sticks to the bottom: save, cancel. `close` asks for confirmation if edits would be lost. */
  footer: (close: () => void) => ReactNode;
  onClose: () => void;
  /** There are unsaved edits: closing asks for confirmation. */
  isDirty?: boolean;
  /** It has nothing to focus, so that its body is focused to scroll it by keyboard. */
  isText?: boolean;
  /** A short form: Enter in a field of one line submits it, as Ctrl+Enter does everywhere. */
  isShort?: boolean;
};

/** A form next to its list: 600 px wide, full screen on a phone. Render it only while it is open. */
export const SideDrawer = ({
  title,
  subtitle,
  children,
  footer,
  onClose,
  isDirty = false,
  isText,
  isShort = false,
}: Props) => {
  const { t } = useTranslation();
  const titleId = useId();
  const close = useUnsavedGuard(isDirty, onClose);
  return (
    <Drawer
      open
      anchor="right"
      onClose={close}
      slotProps={{
        paper: {
          role: "dialog",
          "aria-labelledby": titleId,
          onKeyDown: (event: KeyboardEvent<HTMLElement>) => submitByKeys(event, isShort),
          sx: { "--sticky-top": "0px", width: size.drawer, maxWidth: "100%", display: "flex" },
        },
      }}
    >
      <Row sx={{ px: { xs: 4, sm: 6 }, py: 3.5, borderBottom: "1px solid", borderColor: "line.main" }}>
        <Box sx={{ flex: 1, minWidth: 0 }}>
          <Typography id={titleId} component="h2" noWrap sx={{ fontSize: 16, fontWeight: 620, lineHeight: "24px" }}>
            {title}
          </Typography>
          {subtitle && (
            <Row gap={2} sx={{ fontSize: 12, color: "text.tertiary", minHeight: 20 }}>
              {subtitle}
            </Row>
          )}
        </Box>
        <DocsLink />
        <IconButton aria-label={t("components.close")} onClick={close}>
          <Close />
        </IconButton>
      </Row>
      <Box
        {...(isText && { tabIndex: 0, role: "region", "aria-labelledby": titleId })}
        sx={{ flex: 1, overflowY: "auto", px: { xs: 4, sm: 6 }, py: 5 }}
      >
        {children}
      </Box>
      <Row
        sx={{
          px: { xs: 4, sm: 6 },
          py: 3,
          borderTop: "1px solid",
          borderColor: "line.main",
          bgcolor: "surface.sunken",
        }}
      >
        {footer(close)}
      </Row>
    </Drawer>
  );
};

/** A section of a form: heading, one line of description, fields. */
export const Section = ({ title, hint, children }: { title: ReactNode; hint?: ReactNode; children: ReactNode }) => (
  <Box component="section" sx={{ "& + &": { mt: 6, pt: 6, borderTop: "1px solid", borderColor: "line.faint" } }}>
    <Typography variant="h2" component="h3" sx={{ fontSize: 14 }}>
      {title}
    </Typography>
    {hint && (
      <Typography variant="caption" sx={{ color: "text.tertiary", display: "block", mt: 0.5 }}>
        {hint}
      </Typography>
    )}
    <Col gap={4} sx={{ mt: 3 }}>
      {children}
    </Col>
  </Box>
);

/**
 * Asks for confirmation before unsaved edits are lost: on closing the form (call the result), on navigation, and on
 * leaving the site.
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
    // Another view of the same page keeps the edits.
    shouldBlockFn: async ({ current, next }) =>
      !isLeaving.current && current.pathname !== next.pathname && !(await mayLeave()),
  });
  return async () => {
    if (isDirty && !(await mayLeave())) return;
    isLeaving.current = true;
    onClose();
  };
}
