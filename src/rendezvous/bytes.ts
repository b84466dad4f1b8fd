/** Bytes as they cross in JSON. */
export const encodeBytes = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
export const decodeBytes = (text: string): Uint8Array => Buffer.from(text, 'base64');
