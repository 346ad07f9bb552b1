/** The transactions in the blocks of a state file, in the forms that versions of anvil write. */

import { hexToBytes, ZERO_ADDRESS } from '../../../base/bytes.ts'
import type { Crypto } from '../../../base/crypto/crypto.ts'
import type { AccessListEntry, Address, Hash } from '../../../base/types.ts'
import { encodeTransaction } from '../../../ethereum/evm/transactionEncoding.ts'
import type { Authorization, Transaction, TransactionType, TxEnv } from '../../../ethereum/transaction.ts'
import { InvalidStateFileError } from '../errors.ts'
import { readHex, readList, readNumber, readObject, readOptionalHex, readOptionalNumber } from './fields.ts'

/** A transaction as it is in a block of a file. */
export interface FileTransaction {
  /** Its sender is not known yet: `from` is zero. */
  readonly fields: Transaction
  /** The hash that the file has; of an impersonated one anvil's, which is not that of its bytes. */
  readonly hash: Hash | undefined
  /** The sender of a transaction without a signature. */
  readonly impersonated: Address | undefined
}

/** The names of types in files of anvil up to 1.2. */
const TYPE_NAMES = ['Legacy', 'EIP2930', 'EIP1559', 'EIP4844', 'EIP7702']

/** Reads a transaction. @param at - where it is in the file. @throws InvalidStateFileError */
export function readTransaction(value: unknown, at: string, crypto: Crypto): FileTransaction {
  const outer = readObject(value, at)
  const isWrapped = outer['transaction'] !== undefined
  const wrapped = isWrapped ? readObject(outer['transaction'], `${at}.transaction`) : outer
  const name = TYPE_NAMES.find((one) => wrapped[one] !== undefined)
  const path = `${at}${isWrapped ? '.transaction' : ''}${name === undefined ? '' : `.${name}`}`
  const given = name === undefined ? wrapped : readObject(wrapped[name], path)
  // A blob transaction is nested once more if it has its sidecar.
  const tx = given['tx'] === undefined ? given : { ...given, ...readObject(given['tx'], `${path}.tx`) }
  const type = name === undefined ? readType(tx['type'], path) : (TYPE_NAMES.indexOf(name) as TransactionType)
  const fields = readFields(tx, type, path)
  const chainId = readOptionalNumber(tx['chainId'], `${path}.chainId`, 64)
  const signature = readSignature(tx, type, chainId, path)
  return {
    fields: encodeTransaction(fields, chainId, signature, crypto),
    hash: readOptionalHex(tx['hash'], `${path}.hash`, 32),
    impersonated: readOptionalHex(outer['impersonated_sender'], `${at}.impersonated_sender`, 20),
  }
}

function readType(value: unknown, at: string): TransactionType {
  const type = readOptionalNumber(value, `${at}.type`, 64) ?? 0n
  if (type > 4n) throw new InvalidStateFileError(`${at}.type is ${type}, expected one from 0 to 4`)
  return Number(type) as TransactionType
}

type Json = Readonly<Record<string, unknown>>

function readFields(tx: Json, type: TransactionType, at: string): TxEnv {
  const number = (name: string, bits = 256) => readNumber(tx[name], `${at}.${name}`, bits)
  const [gas, input] = [
    tx['gas'] === undefined ? 'gasLimit' : 'gas',
    tx['input'] === undefined ? 'data' : 'input',
  ]
  return {
    type,
    from: ZERO_ADDRESS,
    nonce: number('nonce', 64),
    gasLimit: number(gas, 64),
    to: readOptionalHex(tx['to'], `${at}.to`, 20) ?? null,
    value: number('value'),
    data: hexToBytes(readHex(tx[input], `${at}.${input}`)),
    ...(type < 2
      ? { gasPrice: number('gasPrice') }
      : {
          maxFeePerGas: number('maxFeePerGas'),
          maxPriorityFeePerGas: number('maxPriorityFeePerGas'),
        }),
    ...(type > 0 && { accessList: readAccessList(tx['accessList'], `${at}.accessList`) }),
    ...(type === 3 && {
      maxFeePerBlobGas: number('maxFeePerBlobGas'),
      blobVersionedHashes: readList(tx['blobVersionedHashes'], `${at}.blobVersionedHashes`).map((hash, i) =>
        readHex(hash, `${at}.blobVersionedHashes[${i}]`, 32),
      ),
    }),
    ...(type === 4 && {
      authorizationList: readAuthorizations(tx['authorizationList'], `${at}.authorizationList`),
    }),
  }
}

function readSignature(
  tx: Json,
  type: TransactionType,
  chainId: bigint | undefined,
  at: string,
): { readonly v: bigint; readonly r: bigint; readonly s: bigint } {
  const given = tx['signature'] === undefined ? tx : readObject(tx['signature'], `${at}.signature`)
  const v = readNumber(given['v'] ?? given['yParity'], `${at}.v`, 256)
  const [r, s] = [readNumber(given['r'], `${at}.r`, 256), readNumber(given['s'], `${at}.s`, 256)]
  if (type > 0 || v > 1n) return { v, r, s }
  return { v: v + (chainId === undefined ? 27n : 35n + 2n * chainId), r, s }
}

function readAccessList(value: unknown, at: string): AccessListEntry[] {
  return readList(value, at).map((one, i) => {
    const { address, storageKeys } = readObject(one, `${at}[${i}]`)
    return {
      address: readHex(address, `${at}[${i}].address`, 20),
      storageKeys: readList(storageKeys, `${at}[${i}].storageKeys`).map((key, k) =>
        readHex(key, `${at}[${i}].storageKeys[${k}]`, 32),
      ),
    }
  })
}

function readAuthorizations(value: unknown, at: string): Authorization[] {
  return readList(value, at).map((one, i) => {
    const given = readObject(one, `${at}[${i}]`)
    const number = (name: string, bits: number) => readNumber(given[name], `${at}[${i}].${name}`, bits)
    return {
      chainId: number('chainId', 256),
      address: readHex(given['address'], `${at}[${i}].address`, 20),
      nonce: number('nonce', 64),
      yParity: Number(number('yParity', 8)),
      r: number('r', 256),
      s: number('s', 256),
    }
  })
}
