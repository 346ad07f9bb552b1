/** An object itself, except for some members. Its other methods are called on the object. */
export function withMembers<T extends object>(target: T, members: Partial<T>): T {
  return new Proxy(target, {
    get(_target, name) {
      const owner = Object.hasOwn(members, name) ? members : target
      const value = Reflect.get(owner, name)
      return typeof value === 'function' ? value.bind(owner) : value
    },
  })
}
