import CheckCircle from "@mui/icons-material/CheckCircle";
import Close from "@mui/icons-material/Close";
import ErrorIcon from "@mui/icons-material/Error";
import Info from "@mui/icons-material/Info";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import GlobalStyles from "@mui/material/GlobalStyles";
import IconButton from "@mui/material/IconButton";
import { useAtomValue, useSetAtom } from "jotai";
import { type CustomContentProps, type SnackbarKey, SnackbarProvider, useSnackbar } from "notistack";
import { type Ref, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { isOneOf, namesOf } from "../../lib/json.ts";
import { type Toast, takeToastsAtom, waitingToastsAtom } from "./waiting-toasts.ts";

const MOST_AT_ONCE = 3;
const ICONS = {
  success: <CheckCircle sx={{ color: "tone.ok.solid" }} />,
  error: <ErrorIcon sx={{ color: "tone.bad.solid" }} />,
  info: <Info sx={{ color: "tone.info.solid" }} />,
  default: null,
} as const;
const isVariant = isOneOf(namesOf(ICONS));

type Props = CustomContentProps & { ref?: Ref<HTMLDivElement> };

/** A short message that disappears by itself, with an optional action. */
const ToastBox = ({ ref, id, message, variant, action, style }: Props) => {
  const { t } = useTranslation();
  const { closeSnackbar } = useSnackbar();
  return (
    <Box
      ref={ref}
      role={variant === "error" ? "alert" : "status"}
      style={style}
      sx={{
        display: "flex",
        alignItems: "center",
        gap: 2.5,
        minHeight: 44,
        maxWidth: 440,
        pl: 3.5,
        pr: 1.5,
        py: 1.5,
        borderRadius: "10px",
        bgcolor: "tip.bg",
        color: "tip.fg",
        fontSize: 13,
        lineHeight: "20px",
        boxShadow: "0 8px 32px rgb(8 15 25 / .28)",
        "& > svg": { fontSize: 18, flex: "none" },
      }}
    >
      {isVariant(variant) ? ICONS[variant] : null}
      <Box sx={{ flex: 1, minWidth: 0, overflowWrap: "anywhere" }}>{message}</Box>
      {typeof action === "function" ? action(id) : action}
      <IconButton
        size="small"
        aria-label={t("components.close")}
        onClick={() => closeSnackbar(id)}
        sx={{ color: "inherit", "&:hover": { bgcolor: "rgb(255 255 255 / .12)", color: "inherit" } }}
      >
        <Close />
      </IconButton>
    </Box>
  );
};

/** On phones a drawer fills the screen: its buttons stay free. */
const ABOVE_FOOTERS = {
  "@media (max-width:600px)": {
    'body:has(.MuiDrawer-paper[role="dialog"]) .notistack-SnackbarContainer': { bottom: 76 },
  },
};

const COMPONENTS = { success: ToastBox, error: ToastBox, info: ToastBox, default: ToastBox };

/** Shows toasts at the bottom left, three at most. */
export default function ToastHost() {
  return (
    <>
      <GlobalStyles styles={ABOVE_FOOTERS} />
      <SnackbarProvider
        maxSnack={MOST_AT_ONCE}
        anchorOrigin={{ vertical: "bottom", horizontal: "left" }}
        Components={COMPONENTS}
      >
        <Waiting />
      </SnackbarProvider>
    </>
  );
}

/** Hands waiting toasts over. */
const Waiting = () => {
  const { enqueueSnackbar } = useSnackbar();
  const count = useAtomValue(waitingToastsAtom).length;
  const take = useSetAtom(takeToastsAtom);
  useEffect(() => {
    if (count === 0) return;
    for (const { message, tone, durationMs, key, action } of take()) {
      enqueueSnackbar(message, {
        variant: tone,
        ...(durationMs !== undefined && { autoHideDuration: durationMs }),
        ...(key !== undefined && { key, preventDuplicate: true }),
        ...(action && { action: (id) => <Action id={id} {...action} /> }),
      });
    }
  }, [count, take, enqueueSnackbar]);
  return null;
};

const Action = ({ id, label, run }: { id: SnackbarKey } & NonNullable<Toast["action"]>) => {
  const { closeSnackbar } = useSnackbar();
  return (
    <Button
      variant="text"
      sx={{ color: "inherit", textDecoration: "underline", textUnderlineOffset: 3 }}
      onClick={() => {
        closeSnackbar(id);
        run();
      }}
    >
      {label}
    </Button>
  );
};
