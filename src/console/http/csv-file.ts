/** Responds with a table as a CSV download whose file name ends with the date. */
export const csvFile = (name: string, content: ReadableStream<Uint8Array>): Response =>
  new Response(content, {
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${name}-${new Date().toISOString().slice(0, 10)}.csv"`,
      "cache-control": "no-store",
    },
  });
