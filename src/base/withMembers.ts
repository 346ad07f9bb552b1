/** A proxy of an object that replaces some members. The rest is called on the object. */
export function withMembers<T extends object>(target: T, members: Partial<T>): T {
  return new Proxy(target, {
    get(_target, name) {
      const owner = Object.hasOwn(members, name) ? members : target
      const value = Reflect.get(owner, name)
      return typeof value === 'function' ? value.bind(owner) : value
    },
  })
}
