/** How the values that a chain keeps in its database are encoded: JSON, in which bigints are texts that end in `n`. */

/** Encodes a value of objects, arrays, texts, numbers, booleans and bigints; fields that are undefined are left out. */
export function encodeValue(value: unknown): Uint8Array {
  const text = JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}n` : one))
  return new TextEncoder().encode(text)
}

/** Reads an encoded value. */
export function decodeValue<Value>(bytes: Uint8Array): Value {
  const isBigint = (one: unknown): one is string => typeof one === 'string' && /^\d+n$/.test(one)
  return JSON.parse(new TextDecoder().decode(bytes), (_, one) =>
    isBigint(one) ? BigInt(one.slice(0, -1)) : one,
  )
}
