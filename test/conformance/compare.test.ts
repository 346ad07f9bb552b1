import { describe, expect, it } from 'vitest'
import { compare, parseVector } from './vectors.ts'

describe('comparison with a vector', () => {
  it('reads comments, pairs of lines, and whether the schema alone decides', () => {
    const pair = '>> {"jsonrpc":"2.0","id":1,"method":"m"}\n<< {"jsonrpc":"2.0","id":1,"result":"0x1"}\n'
    const failing =
      '>> {"id":2,"method":"m","params":[1]}\n<< {"id":2,"error":{"code":3,"message":"no","data":"0x"}}'
    expect(parseVector('m/one', `// speaks of speconly: things\n${pair}${failing}`)).toEqual({
      name: 'm/one',
      method: 'm',
      specOnly: false,
      exchanges: [
        { request: { method: 'm' }, expected: { result: '0x1' } },
        {
          request: { method: 'm', params: [1] },
          expected: { error: { code: 3, message: 'no', data: '0x' } },
        },
      ],
    })
    expect(parseVector('m/two', `// what it asks\n// speconly: by its schema\n${pair}`).specOnly).toBe(true)
    expect(() => parseVector('m/three', '// nothing')).toThrow('m/three: 0 requests with 0 responses')
  })

  it('finds every key and value that differs, in order, and compares hex as strings', () => {
    expect(compare({ result: [{ a: '0x1', b: null }] }, { result: [{ b: null, a: '0x1' }] }, '')).toEqual([])
    expect(compare({ result: 1.5e3 }, { result: 1500 }, '')).toEqual([])
    const differences = compare(
      { result: [{ a: '0x1', b: '0x01' }, 'x', 'y'] },
      { result: [{ a: '0x1', b: '0x1', c: null }, 'y', 'x', 'z'] },
      '',
    )
    expect(differences).toEqual([
      { path: 'result[0].b', expected: '0x01', got: '0x1' },
      { path: 'result[0].c', expected: undefined, got: null },
      { path: 'result[1]', expected: 'x', got: 'y' },
      { path: 'result[2]', expected: 'y', got: 'x' },
      { path: 'result[3]', expected: undefined, got: 'z' },
    ])
    expect(compare({ result: null }, { error: { code: 3, message: 'no' } }, '')).toEqual([
      { path: 'result', expected: null, got: undefined },
      { path: 'error', expected: undefined, got: { code: 3, message: 'no' } },
    ])
  })

  it('compares code and data of errors, including nested ones, but not the message', () => {
    const error = { code: 3, message: 'no' }
    expect(compare({ error }, { error: { code: 3, message: 'never' } }, '')).toEqual([])
    expect(compare({ error }, { error: { ...error, data: '0x' } }, '')).toEqual([
      { path: 'error.data', expected: undefined, got: '0x' },
    ])
    const nested = (fields: object) => ({ result: [{ calls: [{ error: fields }] }] })
    expect(compare(nested(error), nested({ code: 3, message: 'never' }), '')).toEqual([])
    expect(compare(nested(error), nested({ code: 4, message: 'no' }), '')).toEqual([
      { path: 'result[0].calls[0].error.code', expected: 3, got: 4 },
    ])
    // Messages outside of errors are compared.
    expect(compare({ result: error }, { result: { code: 3, message: 'never' } }, '')).toHaveLength(1)
  })
})
