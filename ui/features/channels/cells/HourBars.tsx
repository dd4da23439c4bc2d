import Box from "@mui/material/Box";

/** A day as 24 bars: the height is traffic, the red base is failures. */
export const HourBars = ({
  hours,
  label,
  height = 20,
}: {
  hours: readonly { count: number; failed: number }[];
  label: string;
  height?: number;
}) => {
  const most = Math.max(...hours.map(({ count }) => count), 1);
  const width = hours.length * 3 - 1;
  return (
    <Box
      component="svg"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
      sx={{ width, height, display: "block", flex: "none" }}
    >
      {hours.map(({ count, failed }, index) => {
        const bar = Math.max(1, Math.round((count / most) * height));
        const foot = failed ? Math.max(2, Math.round((failed / most) * height)) : 0;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: an hour is its place
          <g key={index}>
            <Box
              component="rect"
              x={index * 3}
              y={height - bar}
              width={2}
              height={bar}
              sx={{ fill: (theme) => (theme.vars ?? theme).palette.tone.idle.solid, opacity: count ? 0.62 : 0.35 }}
            />
            {foot > 0 && (
              <Box
                component="rect"
                x={index * 3}
                y={height - foot}
                width={2}
                height={foot}
                sx={{ fill: (theme) => (theme.vars ?? theme).palette.tone.bad.solid }}
              />
            )}
          </g>
        );
      })}
    </Box>
  );
};
