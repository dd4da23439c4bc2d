import Button from "@mui/material/Button";
import * as notistack from "notistack";

const UNDO_MS = 6000;

/** A short word that something was done. */
export const notifyDone = (message: string): void => {
  notistack.enqueueSnackbar(message, { variant: "success" });
};

/** What went wrong, in the server's or the network's words. */
export const notifyError = (error: unknown): void => {
  notistack.enqueueSnackbar(error instanceof Error ? error.message : String(error), { variant: "error" });
};

/** Something to know, neither good nor bad. */
export const notifyInfo = (message: string): void => {
  notistack.enqueueSnackbar(message, { variant: "info" });
};

/** Something cheap was done and can be taken back for a few seconds. */
export const notifyUndo = (message: string, undoLabel: string, undo: () => void): void => {
  notistack.enqueueSnackbar(message, {
    autoHideDuration: UNDO_MS,
    action: (id) => (
      <Button
        variant="text"
        sx={{ color: "inherit", textDecoration: "underline", textUnderlineOffset: 3 }}
        onClick={() => {
          notistack.closeSnackbar(id);
          undo();
        }}
      >
        {undoLabel}
      </Button>
    ),
  });
};
