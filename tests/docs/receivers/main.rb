require "json"
require_relative "guide_verify"
require_relative "guide_open"

asked = JSON.parse($stdin.read)
keys = asked["keys"].transform_values { |jwk| private_key(jwk) }
verdicts = asked["cases"].map { |c| verify(c["secret"], c["headers"], c["body"].unpack1("m0")) }
opened = asked["openings"].map do |o|
  o["keys"].map { |name| open_submission(keys[name], o["formId"], o["submission"]) }
end
puts JSON.generate({ verdicts: verdicts, opened: opened })
