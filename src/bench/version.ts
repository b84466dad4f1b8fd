import manifest from '../../package.json' with { type: 'json' };

/** Version of fabricbench. */
export const VERSION: string = manifest.version;
