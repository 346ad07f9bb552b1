import { toAddress } from '../../base/bytes.ts'
