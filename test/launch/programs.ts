/** The programs that first stood for all: what they show of options and tables holds for rows of their kind. */
export const messagePrograms: readonly string[] = ['osu_latency', 'osu_bw', 'osu_bibw', 'osu_mbw_mr'];
