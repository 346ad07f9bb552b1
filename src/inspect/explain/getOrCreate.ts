/** Values that are made once for each key. */

interface Values<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): unknown
}

/** The value of a key; the first time it is made, and kept. */
export function getOrCreate<Key, Value extends object>(
  values: Values<Key, Value>,
  key: Key,
  make: () => Value,
): Value {
  let value = values.get(key)
  if (value === undefined) {
    value = make()
    values.set(key, value)
  }
  return value
}
