require "json"
require_relative "guide_verify"
require_relative "guide_open"

asked = JSON.parse($stdin.read)
keys = asked["keys"].transform_values { |jwk| private_key(jwk) }
verdicts = asked["cases"].map { |c| verify(c["secret"], c["headers"], c["body"].unpack1("m0")) }
opened = asked["openings"].map do |o|
  o["keys"].map { |name| open_submission(keys[name], o["formId"], o["submission"]) }
end

# JSON.generate would write a BigDecimal as a text.
def write(value)
  case value
  when BigDecimal then value.to_s("F")
  when Array then "[#{value.map { |item| write(item) }.join(",")}]"
  when Hash then "{#{value.map { |name, item| "#{JSON.generate(name)}:#{write(item)}" }.join(",")}}"
  else JSON.generate(value)
  end
end
puts write({ verdicts: verdicts, opened: opened })
