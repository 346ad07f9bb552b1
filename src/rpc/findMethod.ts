/** The method that a request names. Owns nothing. */
import type { View } from '../core/view/view.ts'
import type { DialectRules } from './dialect.ts'
import { InvalidRequestError, MethodNotFoundError } from './errors.ts'
import type { Method, RunnableMethod } from './method.ts'
import { METHODS } from './table.ts'

/** By name: a lookup with a property name would be compiled for the first names that are requested. */
const methods = new Map(Object.entries(METHODS as { readonly [name: string]: Method }))

/** Reads the arguments of a request. @throws InvalidRequestError */
export function readRequest(args: unknown): { readonly name: string; readonly params: unknown } {
  if (typeof args !== 'object' || args === null) throw new InvalidRequestError('an object with a method')
  const { method, params } = args as { method?: unknown; params?: unknown }
  if (typeof method !== 'string') throw new InvalidRequestError('a string as method')
  return { name: method, params }
}

/** Finds the method that a view serves under a name. @throws MethodNotFoundError */
export function findMethod(name: string, view: View, dialect: DialectRules): RunnableMethod {
  const method = methods.get(name)
  if (method === undefined || !isServed(method, view, dialect)) throw new MethodNotFoundError(name)
  return method as RunnableMethod
}

function isServed({ standardDialects }: Method, { kind }: View, { name }: DialectRules): boolean {
  return kind === 'preconf' || standardDialects === undefined || standardDialects.includes(name)
}
